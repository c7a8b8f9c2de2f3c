"""The orders of the queue, and what they must not tell."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Case, Platform, Score, User
from moderation.operations.posts import complaints
from moderation.queries import keyset
from moderation.queries.cases import queue
from moderation.queries.cases.queue_filter import QueueFilter, Sort
from moderation.queries.keyset import InvalidCursor, Key
from tests.moderation.conftest import Case_
from tests.moderation.fakes import FakeScorer


def shown(viewer: User, at: datetime, *, limit: int = 50, **wanted: object) -> list[int]:
    """The cases page by page, in the order asked for."""
    found: list[int] = []
    cursor = ""
    while True:
        page = queue.rows(viewer=viewer, wanted=QueueFilter(**wanted), at=at, cursor=cursor, limit=limit)  # type: ignore[arg-type]  # tests name real fields
        found += [row.case_id for row in page.rows]
        cursor = page.next_cursor
        if not cursor:
            return found


@pytest.fixture
def three(open_case: Case_, fake_scorer: FakeScorer) -> list[Case]:
    """Cases of 30, 52 and 80 %."""
    fake_scorer.probabilities = {"mild": 0.3, "even": 0.52, "wild": 0.8}
    return [open_case(text=text) for text in ("mild", "even", "wild")]


class TestOrder:
    def test_by_expected_harm_and_by_uncertainty(
        self, three: list[Case], moderator: User, at: datetime
    ) -> None:
        mild, even, wild = (case.pk for case in three)

        assert shown(moderator, at) == [wild, even, mild]
        assert shown(moderator, at, sort=Sort.UNCERTAINTY) == [even, mild, wild]

    def test_newest_first(self, three: list[Case], moderator: User, at: datetime) -> None:
        for minutes, case in enumerate(three):
            Case.objects.filter(pk=case.pk).update(opened_at=at + timedelta(minutes=minutes))

        assert shown(moderator, at, sort=Sort.NEWEST) == [case.pk for case in reversed(three)]

    def test_most_reported_first(
        self, three: list[Case], moderator: User, platform: Platform, at: datetime
    ) -> None:
        for reporter, case in (("a", three[1]), ("b", three[1]), ("c", three[0])):
            complaint = complaints.IncomingComplaint(
                post=case.post.external_id, reporter=reporter, reason="spam", reported_at=at
            )
            complaints.record(platform=platform, complaint=complaint, at=at)

        mild, even, wild = (case.pk for case in three)
        assert shown(moderator, at, sort=Sort.REPORTED) == [even, mild, wild]

    @pytest.mark.parametrize("sort", Sort)
    def test_pages_without_gaps_or_repeats(
        self, open_case: Case_, lead: User, at: datetime, sort: Sort
    ) -> None:
        made = {open_case(text=f"post {number}").pk for number in range(7)}
        Case.objects.filter(pk=min(made)).update(is_escalated=True)

        found = shown(lead, at, sort=sort, limit=2)

        assert len(found) == len(set(found)) == 7
        assert set(found) == made
        assert found[0] == min(made)

    @pytest.mark.parametrize(
        "key", [(1, 2), (False, 2.0), (0, 1.0, 1), (False, "2026-01-01T00:00:00+00:00", 1), (False, 1.0, "x")]
    )
    def test_refuses_a_cursor_of_another_order(self, moderator: User, at: datetime, key: Key) -> None:
        with pytest.raises(InvalidCursor):
            queue.rows(viewer=moderator, wanted=QueueFilter(), at=at, cursor=keyset.encode(key))


class TestAuditSamples:
    @pytest.mark.parametrize("sort", Sort)
    def test_stand_where_their_score_does_not_matter(
        self, open_case: Case_, fake_scorer: FakeScorer, moderator: User, at: datetime, sort: Sort
    ) -> None:
        """Two audit samples, one near certain, one near harmless, change nothing by swapping their scores."""
        fake_scorer.audited = {"first", "second"}
        orders = []
        for low, high in (("first", "second"), ("second", "first")):
            Case.objects.all().delete()
            Score.objects.all().delete()
            fake_scorer.probabilities = {low: 0.01, high: 0.99, "mild": 0.3, "wild": 0.8}
            names = {
                open_case(text=text, external_id=f"{low}-{text}").pk: text
                for text in ("mild", "first", "wild", "second")
            }
            Case.objects.update(opened_at=at)
            orders.append([names[case_id] for case_id in shown(moderator, at, sort=sort)])

        assert orders[0] == orders[1]

    def test_show_no_probability_even_when_escalated(
        self, open_case: Case_, lead: User, at: datetime
    ) -> None:
        open_case()
        Score.objects.update(is_audit_sample=True)
        Case.objects.update(reason="escalated", is_escalated=True)

        [row] = queue.rows(viewer=lead, wanted=QueueFilter(), at=at).rows

        assert row.spam_probability is None
