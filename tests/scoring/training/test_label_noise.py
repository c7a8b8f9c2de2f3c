"""Label noise. Promise: of decisions turned round, most stand where people look first."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.training import fit_head, label_noise, labelled_lines
from scoring.training.label_noise import Suspicion

ROWS = (
    # verdict, probability of spam, suspected
    (True, 0.95, False),
    (True, 0.90, False),
    (True, 0.02, True),
    (False, 0.05, False),
    (False, 0.10, False),
    (False, 0.97, True),
    (False, 0.55, False),
)


def columns() -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in ROWS]), np.array([row[1] for row in ROWS])


def test_suspects_what_the_other_class_is_confident_of() -> None:
    is_spam, probability = columns()

    found = label_noise.suspected(is_spam=is_spam, spam_probability=probability)

    assert found.tolist() == [row[2] for row in ROWS]


def test_ranks_by_the_probability_of_the_verdict_given() -> None:
    is_spam, probability = columns()

    order = label_noise.ranked(is_spam=is_spam, spam_probability=probability)

    assert order[:3].tolist() == [2, 5, 6]


@pytest.mark.parametrize("verdict", [True, False])
def test_suspects_nothing_of_one_class(verdict: bool) -> None:
    found = label_noise.suspected(is_spam=np.array([verdict] * 3), spam_probability=np.array([0.1, 0.5, 0.9]))

    assert not found.any()


def test_writes_lines_without_words(tmp_path: Path) -> None:
    path = tmp_path / "suspicious.jsonl"

    label_noise.write([Suspicion(platform="a", post="p", is_spam=True, confidence=0.1)], path=path)

    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"platform": "a", "post": "p", "is_spam": True, "confidence": 0.1}
    ]


def test_finds_most_of_the_labels_turned_round_in_the_shipped_texts() -> None:
    texts = Path(fit_head.__file__).with_name("starter_texts.jsonl")
    rows = [line.stored for line in labelled_lines.lines(texts)]
    random = np.random.default_rng(1)
    truth = np.array([row["label"] == 1 for row in rows])
    turned = np.zeros(len(rows), dtype=bool)
    turned[random.choice(len(rows), len(rows) // 10, replace=False)] = True

    said = label_noise.left_out_probabilities(
        [row["text"] for row in rows], is_spam=truth ^ turned, groups=[str(row["group"]) for row in rows]
    )
    order = label_noise.ranked(is_spam=truth ^ turned, spam_probability=said)

    first = order[: round(0.15 * len(rows))]
    assert turned[first].sum() / turned.sum() > 0.5
