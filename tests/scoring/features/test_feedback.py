"""Feedback features, by table."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoring.features import feedback
from scoring.records import ComplaintRecord, PostRecord
from tests.scoring.features.values import value_of
from tests.scoring.random_records import AT, record

NAN = float("nan")
NAMES = [feature.name.removeprefix("feedback.") for feature in feedback.FEATURES]


def complaint(reason: str, *, hours_ago: float, confirmed: int = 0, rejected: int = 0) -> ComplaintRecord:
    return ComplaintRecord(
        reason=reason,
        reported_at=AT - timedelta(hours=hours_ago),
        reporter_confirmed=confirmed,
        reporter_rejected=rejected,
    )


def reported(*complaints: ComplaintRecord, hours_old: float = 4, **parts: object) -> PostRecord:
    return record(complaints=complaints, posted_at=AT - timedelta(hours=hours_old), **parts)


class TestFeatures:
    @pytest.mark.parametrize(
        ("post", "values"),
        [
            (reported(), (0, 0, NAN, 0, 0, NAN, NAN, NAN, NAN)),
            (reported(shares=3, comments=0), (0, 0, NAN, 0, 0, NAN, NAN, 3, 0)),
            (reported(complaint("spam", hours_ago=3)), (1, 0.25, 1, 1, 0.5, 0.5, 1, NAN, NAN)),
            (
                reported(
                    complaint("Scam/Phishing", hours_ago=3.5, confirmed=8),
                    complaint("hate", hours_ago=1, rejected=8),
                ),
                (2, 0.5, 0.5, 2, 1.0, 0.9, 0.5, NAN, NAN),
            ),
            (reported(complaint("spam", hours_ago=0), hours_old=0), (1, 60, 0, 1, 0.5, 0.5, 1, NAN, NAN)),
        ],
        ids=["silence", "reactions", "a new reporter", "reliable against unreliable", "at once"],
    )
    def test_of_complaints(self, post: PostRecord, values: tuple[float, ...]) -> None:
        found = tuple(value_of(f"feedback.{name}", post) for name in NAMES)

        assert found == pytest.approx(values, nan_ok=True)
