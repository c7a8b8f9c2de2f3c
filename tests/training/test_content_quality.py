"""Calibration and robustness as measured for the card."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

from training import content_quality, platt
from training.attacks import ATTACKS
from training.compare import calibration_error, pr_auc
from training.content_quality import SHIPPED
from training.cross_fit import DEEP, SIMPLE, WIDE, HeldOut
from training.dataset import Example
from training.evaluate import Floats

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")


def drawn(*, slope: float, intercept: float) -> tuple[Floats, Floats]:
    """Labels that truly follow sigmoid(slope * margin + intercept) of overconfident probabilities."""
    random = np.random.default_rng(0)
    margins = random.normal(0, 4, size=20_000)
    truth = (random.random(20_000) < 1 / (1 + np.exp(-(slope * margins + intercept)))).astype(np.float64)
    return truth, 1 / (1 + np.exp(-margins))


def test_platt_finds_the_curve_that_labels_follow() -> None:
    truth, probabilities = drawn(slope=0.4, intercept=-0.7)

    slope, intercept = platt.fit(truth, probabilities, sources=["one"] * len(truth))

    assert (slope, intercept) == pytest.approx((0.4, -0.7), abs=0.05)


def test_platt_lets_every_source_count_the_same() -> None:
    common, rare = drawn(slope=0.4, intercept=-2.0), drawn(slope=0.4, intercept=1.0)
    truth, probabilities = (
        np.concatenate([of_common, of_rare[:2_000]]) for of_common, of_rare in zip(common, rare, strict=True)
    )
    both = platt.fit(truth, probabilities, sources=["common"] * 20_000 + ["rare"] * 2_000)
    pooled = platt.fit(truth, probabilities, sources=["one"] * 22_000)

    assert pooled[1] < -1.4
    assert -0.7 < both[1] < -0.2


def test_platt_is_not_certain_of_a_few_separable_texts() -> None:
    labels = np.array([0.0, 1.0] * 10)
    probabilities = np.where(labels == 1, 0.501, 0.499)

    slope, intercept = platt.fit(labels, probabilities, sources=["one"] * 20)

    spam = 1 / (1 + np.exp(-(slope * np.log(0.501 / 0.499) + intercept)))
    assert spam == pytest.approx(11 / 12, abs=0.01)


def held_out(*, folds: int = 1) -> HeldOut:
    """Two halves that err apart, both overconfident, and a peer that knows nothing."""
    random = np.random.default_rng(5)
    labels = (random.random(6_000) < 0.4).astype(int)
    margins = [3 * (2 * labels - 1) + random.normal(0, 4, size=6_000) for _ in range(2)]
    deep, wide = (1 / (1 + np.exp(-margin)) for margin in margins)
    return HeldOut(
        examples=[
            Example(id=str(row), source="one", text="", label=int(label), group=str(row))
            for row, label in enumerate(labels)
        ],
        folds=np.arange(6_000) % folds,
        answers={DEEP: deep, WIDE: wide, SIMPLE: random.uniform(0.2, 0.8, size=6_000)},
    )


@pytest.mark.parametrize("folds", [1, 5])
def test_both_halves_together_are_calibrated_and_better_than_each(folds: int) -> None:
    held = held_out(folds=folds)

    found = content_quality.left_out(held)

    assert pr_auc(held.labels, found[SHIPPED]) > 0.02 + max(
        pr_auc(held.labels, found[name]) for name in (DEEP, WIDE)
    )
    assert calibration_error(held.labels, held.answers[DEEP]) > 0.05
    assert all(calibration_error(held.labels, answers) < 0.03 for answers in found.values())


def test_a_fold_is_calibrated_on_the_others() -> None:
    """Whoever turns the labels of one fold round changes the answers for all folds but that."""
    held = held_out(folds=3)
    turned = dataclasses.replace(
        held,
        examples=[
            dataclasses.replace(one, label=1 - one.label) if fold == 0 else one
            for one, fold in zip(held.examples, held.folds, strict=True)
        ],
    )

    before, after = (content_quality.left_out(one)[SHIPPED] for one in (held, turned))

    assert np.array_equal(before[held.folds == 0], after[held.folds == 0])
    assert not np.isclose(before[held.folds != 0], after[held.folds != 0]).any()


def test_robustness_compares_normalised_with_raw_text() -> None:
    text = "You have won a free prize, call now and claim your cash today from our friendly office"
    examples = [Example(id=str(n), source="s", text=text, label=n % 2, group=str(n)) for n in range(4)]

    def knows_words(texts: Sequence[str]) -> Floats:
        known = set(text.replace(",", "").split())
        return np.array([float(np.mean([word in known for word in one.split()]) >= 0.8) for one in texts])

    found = {one.attack: one for one in content_quality.robustness(examples, answer=knows_words, seed=1)}

    assert set(found) == {"none", *ATTACKS}
    assert found["none"].texts == 2
    assert found["none"].recall == found["none"].recall_without_normaliser == 1.0
    assert found["zero_width"].recall == 1.0 > found["zero_width"].recall_without_normaliser


def test_nothing_to_attack_without_spam() -> None:
    ham = [Example(id="1", source="s", text="hello", label=0, group="1")]

    assert content_quality.robustness(ham, answer=np.array, seed=1) == []
