"""The accuracy rows of the European transparency report."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case
from moderation.queries.quality import transparency

AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}


class TestAccuracy:
    def test_says_how_often_removals_were_right(
        self, open_case: Callable[..., Case], judged_alike: Callable[..., None], at: datetime
    ) -> None:
        case = open_case(language="de-AT")
        case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
        case.score.release.save()
        judged_alike(case, probability=0.95, spam=36, fine=4, score=AUDIT)

        rows = list(transparency.accuracy(since=at - timedelta(days=1), until=at + timedelta(days=1)))

        assert [row.scope for row in rows] == ["all"] * 3 + ["de"] * 3
        right, error = rows[0].estimate, rows[1].estimate
        assert (right.value, error.value) == pytest.approx((0.9, 0.1))
        assert (error.low, error.high) == pytest.approx((1 - right.high, 1 - right.low))
        assert rows[2].estimate.value is None  # four honest posts are too few
