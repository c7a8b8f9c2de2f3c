"""Feedback features, by table."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from scoring.features import feedback
from scoring.records import ComplaintRecord, PostRecord
from tests.scoring.features.values import value_of
from tests.scoring.random_records import AT, record

NAN = float("nan")
# Lower 90 % bounds of the beta posterior: a new reporter, and one who was right eight times of eight.
NEW, SURE = 0.5 - 1.2816 * (0.25 / 3) ** 0.5, 0.9 - 1.2816 * (0.09 / 11) ** 0.5
NAMES = [feature.name.removeprefix("feedback.") for feature in feedback.FEATURES]


def complaint(reason: str, *, hours_ago: float, confirmed: int = 0, rejected: int = 0) -> ComplaintRecord:
    return ComplaintRecord(
        reason=reason,
        reported_at=AT - timedelta(hours=hours_ago),
        reporter_confirmed=confirmed,
        reporter_rejected=rejected,
    )


def reported(*complaints: ComplaintRecord, hours_old: float = 4, **parts: Any) -> PostRecord:
    return record(complaints=complaints, posted_at=AT - timedelta(hours=hours_old), **parts)


@pytest.mark.parametrize(
    ("post", "values"),
    [
        (reported(), (0, 0, NAN, 0, 0, NAN, NAN, 0, 0, NAN, NAN, NAN, NAN)),
        (reported(shares=3, comments=0), (0, 0, NAN, 0, 0, NAN, NAN, 0, 0, NAN, NAN, 3, 0)),
        (reported(complaint("spam", hours_ago=3)), (1, 0.25, 1, 1, 0.5, 0.5, NEW, 1, NEW, 0, 1, NAN, NAN)),
        (
            reported(
                complaint("Scam/Phishing", hours_ago=3.5, confirmed=8),
                complaint("hate", hours_ago=1, rejected=8),
            ),
            (2, 0.5, 0.5, 2, 1.0, 0.9, SURE, 2, SURE, 0, 0.5, NAN, NAN),
        ),
        (
            reported(complaint("spam", hours_ago=0), hours_old=0),
            (1, 60, 0, 1, 0.5, 0.5, NEW, 1, NEW, 0, 1, NAN, NAN),
        ),
        (
            reported(complaint("spam", hours_ago=0), hours_old=0, is_account=True),
            (1, NAN, NAN, 1, 0.5, 0.5, NEW, 1, NEW, 0, 1, NAN, NAN),
        ),
    ],
    ids=["silence", "reactions", "a new reporter", "reliable against unreliable", "at once", "an account"],
)
def test_features_of_complaints(post: PostRecord, values: tuple[float, ...]) -> None:
    found = tuple(value_of(f"feedback.{name}", post) for name in NAMES)

    assert found == pytest.approx(values, nan_ok=True)


def copied(count: int, *, note: str = "", new: bool = False, minutes: float = 1.0) -> PostRecord:
    """A post with `count` complaints, `minutes` apart."""
    start = AT - timedelta(hours=3)
    return record(
        complaints=tuple(
            ComplaintRecord(
                reason="spam",
                reported_at=start + place * timedelta(minutes=minutes),
                note=note,
                reporter_seen_at=start - timedelta(hours=1 if new else 2000),
            )
            for place in range(count)
        )
    )


class TestWitnesses:
    @pytest.mark.parametrize(
        ("post", "witnesses"),
        [
            (copied(12), 12),
            (copied(12, note="aa"), 1),
            (copied(12, new=True), 1),
            (copied(12, note="aa", minutes=90), 12),
            (copied(12, new=True, minutes=15), 12),
        ],
        ids=["strangers", "one note", "new accounts at once", "one note, hours apart", "new, one by one"],
    )
    def test_a_brigade_of_copies_is_one(self, post: PostRecord, witnesses: int) -> None:
        assert value_of("feedback.complaints", post) == 12
        assert value_of("feedback.witnesses", post) == witnesses
        assert value_of("feedback.copied_share", post) == pytest.approx(1 - witnesses / 12)
        assert value_of("feedback.reliable_witnesses", post) == pytest.approx(witnesses * NEW)

    def test_a_proven_reporter_among_new_accounts_stands_apart(self) -> None:
        brigade = copied(5, new=True).complaints
        proven = dataclasses.replace(brigade[0], reporter_confirmed=8)

        assert value_of("feedback.witnesses", record(complaints=(*brigade, proven))) == 2

    def test_another_reason_is_another_witness(self) -> None:
        first, second = copied(2, note="aa").complaints

        post = record(complaints=(first, dataclasses.replace(second, reason="abuse")))

        assert value_of("feedback.witnesses", post) == 2
