"""Calibration and robustness as measured for the card."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scoring.training import content_quality
from scoring.training.attacks import ATTACKS
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats, calibration_error

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")


def drawn(*, slope: float, intercept: float) -> tuple[Floats, Floats]:
    """Labels that truly follow sigmoid(slope * margin + intercept) of overconfident probabilities."""
    random = np.random.default_rng(0)
    margins = random.normal(0, 4, size=20_000)
    truth = (random.random(20_000) < 1 / (1 + np.exp(-(slope * margins + intercept)))).astype(np.float64)
    return truth, 1 / (1 + np.exp(-margins))


def test_platt_finds_the_curve_that_labels_follow() -> None:
    truth, probabilities = drawn(slope=0.4, intercept=-0.7)

    slope, intercept = content_quality.platt(truth, probabilities, sources=["one"] * len(truth))

    assert (slope, intercept) == pytest.approx((0.4, -0.7), abs=0.05)


def test_platt_lets_every_source_count_the_same() -> None:
    common, rare = drawn(slope=0.4, intercept=-2.0), drawn(slope=0.4, intercept=1.0)
    truth, probabilities = (
        np.concatenate([of_common, of_rare[:2_000]]) for of_common, of_rare in zip(common, rare, strict=True)
    )
    both = content_quality.platt(truth, probabilities, sources=["common"] * 20_000 + ["rare"] * 2_000)
    pooled = content_quality.platt(truth, probabilities, sources=["one"] * 22_000)

    assert pooled[1] < -1.4
    assert -0.7 < both[1] < -0.2


def test_calibration_lowers_the_error() -> None:
    truth, probabilities = drawn(slope=0.4, intercept=-0.7)
    by = content_quality.platt(truth, probabilities, sources=["one"] * len(truth))

    (after,) = content_quality.calibrated({Split.TEST: probabilities}, by=by).values()

    assert calibration_error(truth, probabilities) > 0.1
    assert calibration_error(truth, after) < 0.01


def test_error_of_the_calibrated_is_the_gap_within_bins() -> None:
    labels = np.array([1.0, 0.0, 1.0, 1.0])
    probabilities = np.array([0.45, 0.45, 0.95, 0.95])

    assert calibration_error(labels, probabilities) == pytest.approx(0.05)


def test_robustness_compares_normalised_with_raw_text() -> None:
    text = "You have won a free prize, call now and claim your cash today from our friendly office"
    examples = [Example(id=str(n), source="s", text=text, label=n % 2, group=str(n)) for n in range(4)]

    def knows_words(texts: Sequence[str]) -> Floats:
        known = set(text.replace(",", "").split())
        return np.array([np.mean([word in known for word in one.split()]) for one in texts])

    found = {
        one.attack: one
        for one in content_quality.robustness(examples, answer=knows_words, threshold=0.8, seed=1)
    }

    assert set(found) == {"none", *ATTACKS}
    assert found["none"].texts == 2
    assert found["none"].recall == found["none"].recall_without_normaliser == 1.0
    assert found["zero_width"].recall == 1.0 > found["zero_width"].recall_without_normaliser


def test_nothing_to_attack_without_spam() -> None:
    ham = [Example(id="1", source="s", text="hello", label=0, group="1")]

    assert content_quality.robustness(ham, answer=np.array, threshold=0.5, seed=1) == []
