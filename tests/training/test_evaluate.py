"""Metrics with intervals over groups: of one model, and of two on the same texts."""

import math

import numpy as np
import pytest

from training import evaluate, paired
from training.dataset import Example

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")


def example(number: int, *, label: int, source: str = "forum", group: str = "") -> Example:
    return Example(id=str(number), source=source, text="x", label=label, group=group or str(number))


def examples(source: str, labels: list[int], *, groups: int = 0) -> list[Example]:
    return [
        Example(
            id=f"{source}-{row}",
            source=source,
            text="a",
            label=label,
            group=f"{source}-{row % groups if groups else row}",
        )
        for row, label in enumerate(labels)
    ]


class TestEvaluate:
    @pytest.fixture(autouse=True)
    def few_resamples(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(evaluate, "RESAMPLES", 60)

    def test_measures_each_source_and_all(self) -> None:
        examples = [example(number, label=number % 2, source="ab"[number >= 20]) for number in range(40)]
        probabilities = np.array([0.9 * item.label + 0.05 for item in examples])
        probabilities[:4] = 0.4

        alpha, beta, together = evaluate.by_source(examples, probabilities=probabilities, seed=1)

        assert (alpha.source, beta.source, together.source) == ("a", "b", "all")
        assert (alpha.rows, alpha.spam, together.rows) == (20, 10, 40)
        assert beta.f1.value == beta.roc_auc.value == beta.pr_auc.value == 1.0
        assert alpha.recall == pytest.approx(0.8)
        assert alpha.precision == 1.0
        assert alpha.f1.low < alpha.f1.value < alpha.f1.high

    def test_one_class_has_no_roc_auc(self) -> None:
        (only, _) = evaluate.by_source([example(1, label=0)], probabilities=np.array([0.2]), seed=1)

        assert math.isnan(only.roc_auc.value)
        assert math.isnan(only.pr_auc.low)

    def test_copies_of_one_text_do_not_narrow_the_interval(self) -> None:
        alone = [example(number, label=number % 2) for number in range(20)]
        random = np.random.default_rng(3).random(20)
        copies = [
            example(100 * copy + number, label=number % 2, group=str(number))
            for copy in range(10)
            for number in range(20)
        ]

        (_, few) = evaluate.by_source(alone, probabilities=random, seed=1)
        (_, many) = evaluate.by_source(copies, probabilities=np.tile(random, 10), seed=1)

        assert many.roc_auc.high - many.roc_auc.low == pytest.approx(
            few.roc_auc.high - few.roc_auc.low, abs=0.15
        )


class TestPaired:
    def test_compares_each_source_alone(self) -> None:
        texts = [*examples("sms", [1, 1, 0, 0]), *examples("comments", [1, 0])]
        before = np.array([0.9, 0.2, 0.6, 0.1, 0.4, 0.6])
        after = np.array([0.9, 0.8, 0.2, 0.1, 0.4, 0.6])

        found = {(one.source, one.metric): one for one in paired.by_source(texts, before=before, after=after)}

        assert set(found) == {
            (source, metric) for source in ("sms", "comments") for metric in evaluate.METRICS
        }
        sms = found["sms", "F1"]
        assert (sms.texts, sms.spam) == (4, 2)
        assert (sms.before, sms.after) == (0.5, 1.0)
        assert found["sms", "ROC-AUC"].before == 0.75
        assert found["comments", "ROC-AUC"].after == 0.0

    def test_equal_models_differ_by_nothing(self) -> None:
        texts = examples("sms", [0, 1] * 20)
        said = np.random.default_rng(1).random(40)

        for one in paired.by_source(texts, before=said, after=said):
            assert (one.low, one.high) == (0.0, 0.0)

    def test_one_class_alone_ranks_nothing(self) -> None:
        found, _ = paired.by_source(examples("sms", [0, 0]), before=np.zeros(2), after=np.zeros(2))

        assert np.isnan([found.before, found.after, found.low, found.high]).all()

    def test_near_duplicates_are_one_observation(self) -> None:
        """One group of twenty alike is weaker evidence than twenty texts."""
        labels = [1, 0, 1, 0] * 20
        before = np.array([0.6, 0.4, 0.4, 0.4] * 20)
        after = np.array([0.6, 0.4, 0.6, 0.4] * 20)
        apart, alike = (
            paired.by_source(examples("sms", labels, groups=groups), before=before, after=after)[1]
            for groups in (0, 4)
        )

        assert alike.after - alike.before == pytest.approx(apart.after - apart.before)
        assert alike.high - alike.low > 2 * (apart.high - apart.low)

    def test_writes_a_table(self) -> None:
        changes = paired.by_source(
            examples("sms", [1, 0]), before=np.array([0.4, 0.1]), after=np.array([0.9, 0.1])
        )

        *_, row = paired.table(changes)

        assert row.startswith("| sms | 2 (1) | F1 | 0.000 | 1.000 | +1.000 (")
