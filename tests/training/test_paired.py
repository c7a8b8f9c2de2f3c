"""Two models on the same texts: what is gained or lost, by source, with an interval over groups."""

from __future__ import annotations

import numpy as np
import pytest

from training import paired
from training.dataset import Example


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


def test_compares_each_source_alone() -> None:
    texts = [*examples("sms", [1, 1, 0, 0]), *examples("comments", [1, 0])]
    before = np.array([0.9, 0.2, 0.6, 0.1, 0.4, 0.6])
    after = np.array([0.9, 0.8, 0.2, 0.1, 0.4, 0.6])

    found = {(one.source, one.metric): one for one in paired.by_source(texts, before=before, after=after)}

    assert set(found) == {(source, metric) for source in ("sms", "comments") for metric in paired.METRICS}
    sms = found["sms", "F1"]
    assert (sms.texts, sms.spam) == (4, 2)
    assert (sms.before, sms.after) == (0.5, 1.0)
    assert found["sms", "ROC-AUC"].before == 0.75
    assert found["comments", "ROC-AUC"].after == 0.0


def test_equal_models_differ_by_nothing() -> None:
    texts = examples("sms", [0, 1] * 20)
    said = np.random.default_rng(1).random(40)

    for one in paired.by_source(texts, before=said, after=said):
        assert (one.low, one.high) == (0.0, 0.0)


def test_one_class_alone_ranks_nothing() -> None:
    found, _ = paired.by_source(examples("sms", [0, 0]), before=np.zeros(2), after=np.zeros(2))

    assert np.isnan([found.before, found.after, found.low, found.high]).all()


def test_near_duplicates_are_one_observation() -> None:
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


def test_writes_a_table() -> None:
    changes = paired.by_source(
        examples("sms", [1, 0]), before=np.array([0.4, 0.1]), after=np.array([0.9, 0.1])
    )

    *_, row = paired.table(changes)

    assert row.startswith("| sms | 2 (1) | F1 | 0.000 | 1.000 | +1.000 (")
