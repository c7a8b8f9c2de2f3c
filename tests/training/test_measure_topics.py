"""Measuring topics in words: what stands beside what, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.libraries import needs
from training import measure_topics
from training.dataset import Example
from training.measure_topics import WAYS

pytestmark = needs("sklearn")
TOLD = {
    "engine": "embeddings",
    "base": "made-up",
    "hypothesis": "This text is about {}.",
    "neutral": "something",
    "slope": 12.9,
    "intercept": -3.4,
}
SUBJECTS = {"topic_sports": "sports", "topic_music": "music"}


def embed(texts: Sequence[str]) -> np.ndarray:
    """A vector per text: whether it speaks of sports, of music, of neither."""
    rows = np.array([["sports" in text, "music" in text, 0.3] for text in texts], dtype=np.float64)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@pytest.fixture
def examples() -> list[Example]:
    subjects = [*SUBJECTS, "topic_health"]
    return [
        Example(
            id=str(number),
            source="real",
            text=f"{SUBJECTS.get(subjects[number % 3], 'else')} number {number}",
            label=0,
            group=str(number),
            meta={"labels": [subjects[number % 3]] if number < 90 else []},
        )
        for number in range(120)
    ]


def test_words_stand_beside_classifiers_that_learned(
    examples: list[Example], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(measure_topics, "_embedder", lambda _folder: embed)

    found, curve = measure_topics.measure(examples, repository=tmp_path, triton="", told=TOLD)

    assert {one.topic for one in found} == {"topic_sports", "topic_music", "topic_health"}
    sports = next(one for one in found if one.topic == "topic_sports")
    assert sports.rows == 120
    assert sports.roc_auc[WAYS[0]] > 0.9
    assert curve is not None
    assert 0 <= curve.calibration_error < 0.5
    card = measure_topics.card_of(found, curve=curve, told=TOLD)
    assert "`topic_" in card
    assert "NaN" not in card


def test_rare_topics_are_left_out(
    examples: list[Example], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(measure_topics, "_embedder", lambda _folder: embed)
    monkeypatch.setattr(measure_topics, "LEAST_POSITIVES", 31)

    assert measure_topics.measure(examples[:1], repository=tmp_path, triton="", told=TOLD)[0] == []


def test_a_way_without_examples_to_learn_from_has_no_figure(examples: list[Example]) -> None:
    labels = np.zeros(120)
    labels[:1] = 1

    found = measure_topics._out_of_fold(
        embed([row.text for row in examples]), labels, folds=np.arange(120) % 5
    )

    assert np.isnan(found).any()


def test_every_topic_completes_the_sentence() -> None:
    words = json.loads(Path(measure_topics.__file__).with_name("topics_in_words.json").read_text())

    assert all(3 <= len(one) <= 200 and not one.endswith(".") for one in words.values())
