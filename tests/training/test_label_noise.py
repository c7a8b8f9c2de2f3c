"""Label noise. Promise: of decisions turned round, most stand where people look first."""

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.ensemble import probabilities_of
from training import fit_head, label_noise, labelled_lines
from training.fit_head import Decisions
from training.label_noise import Suspicion

# Verdict and probability of spam. Of few spam posts heads are less sure: 0.4 is much for one of them.
ROWS = (
    (True, 0.70),
    (True, 0.40),
    (True, 0.02),
    (False, 0.05),
    (False, 0.10),
    (False, 0.97),
    (False, 0.55),
    (False, 0.04),
    (False, 0.03),
)


def columns() -> dict[str, np.ndarray]:
    return {
        "is_spam": np.array([row[0] for row in ROWS]),
        "spam_probability": np.array([row[1] for row in ROWS]),
    }


class TestNoise:
    def test_suspects_what_the_other_class_is_confident_of_the_worst_first(self) -> None:
        assert label_noise.suspected(**columns()).tolist()[:2] == [5, 2]

    def test_asks_less_of_the_class_that_heads_are_less_sure_of(self) -> None:
        quality = label_noise.quality(**columns())

        assert quality[6] < quality[1]
        assert quality[[2, 5, 6]].max() < np.delete(quality, [2, 5, 6]).min()

    @pytest.mark.parametrize("verdict", [True, False])
    def test_suspects_nothing_of_one_class(self, verdict: bool) -> None:
        one_class = {"is_spam": np.array([verdict] * 3), "spam_probability": np.array([0.1, 0.5, 0.9])}

        assert not len(label_noise.suspected(**one_class))
        assert label_noise.quality(**one_class).tolist() == [1.0, 1.0, 1.0]

    def test_writes_lines_without_words(self, tmp_path: Path) -> None:
        path = tmp_path / "suspicious.jsonl"

        label_noise.write([Suspicion(platform="a", post="p", is_spam=True, quality=0.1)], path=path)

        assert [json.loads(line) for line in path.read_text().splitlines()] == [
            {"platform": "a", "post": "p", "is_spam": True, "quality": 0.1}
        ]

    def test_finds_most_of_the_labels_turned_round_in_the_shipped_texts(self) -> None:
        texts = Path(fit_head.__file__).with_name("starter_texts.jsonl")
        rows = [line.stored for line in labelled_lines.lines(texts)]
        random = np.random.default_rng(1)
        truth = np.array([row["label"] == 1 for row in rows])
        turned = np.zeros(len(rows), dtype=bool)
        turned[random.choice(len(rows), len(rows) // 10, replace=False)] = True

        decisions = Decisions(
            grams=fit_head.grams_matrix([row["text"] for row in rows]),
            vectors=np.zeros((len(rows), 0)),
            content_margins=np.zeros(len(rows)),
            is_spam=truth ^ turned,
            weights=np.ones(len(rows)),
            groups=np.array([str(row["group"]) for row in rows]),
            is_reported=np.zeros(len(rows), dtype=bool),
        )

        said = probabilities_of(fit_head.left_out_margins(decisions))
        quality = label_noise.quality(is_spam=truth ^ turned, spam_probability=said)

        first = np.argsort(quality)[: round(0.15 * len(rows))]
        assert turned[first].sum() / turned.sum() > 0.5
