"""The accuracy rows of the European transparency report."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.queries.quality import transparency
from tests.moderation.conftest import Case_, Judged

AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}


def test_accuracy_says_how_often_the_filter_alone_was_right(
    open_case: Case_, judged_alike: Judged, at: datetime
) -> None:
    case = open_case(language="de-AT")
    case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
    case.score.release.save()
    judged_alike(case, probability=0.95, spam=36, fine=4, score=AUDIT)
    judged_alike(case, probability=0.05, spam=4, fine=76, score=AUDIT)
    judged_alike(case, probability=0.5, spam=100, fine=50)

    rows = list(transparency.accuracy(since=at - timedelta(days=1), until=at + timedelta(days=1)))

    assert [row.scope for row in rows] == ["Total number"] * 3 + ["de"] * 3
    assert [row.indicator.rpartition(" ")[2] for row in rows[:3]] == ["Accuracy", "Precision", "Recall"]
    accuracy, precision, recall = (row.estimate.value for row in rows[:3])
    assert accuracy == pytest.approx((36 + 76) / 120)
    assert precision == pytest.approx(36 / 40)
    assert recall == pytest.approx(360 / (360 + 40 + 100))
