"""The queue: its orders and what they must not tell, the chance of a draw, how long cases wait and take."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from moderation.models import Case, Complaint, Score, User
from moderation.models.cases import CaseState
from moderation.queries import keyset
from moderation.queries.cases import backlog, pace, queue, queue_mix
from moderation.queries.cases.queue_filter import QueueFilter, Sort
from moderation.queries.cases.queue_mix import Load
from moderation.queries.keyset import InvalidCursor, Key
from tests.moderation.conftest import Case_, Judged
from tests.moderation.counted_case import report_it
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT


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
    def test_by_expected_harm_and_by_uncertainty(self, three: list[Case], moderator: User) -> None:
        mild, even, wild = (case.pk for case in three)

        assert shown(moderator, AT) == [wild, even, mild]
        assert shown(moderator, AT, sort=Sort.UNCERTAINTY) == [even, mild, wild]

    def test_newest_first(self, three: list[Case], moderator: User) -> None:
        for minutes, case in enumerate(three):
            Case.objects.filter(pk=case.pk).update(opened_at=AT + timedelta(minutes=minutes))

        assert shown(moderator, AT, sort=Sort.NEWEST) == [case.pk for case in reversed(three)]

    def test_most_reported_first(self, three: list[Case], moderator: User) -> None:
        for reporter, case in (("a", three[1]), ("b", three[1]), ("c", three[0])):
            report_it(case.post, at=AT, reporter=reporter)

        mild, even, wild = (case.pk for case in three)
        assert shown(moderator, AT, sort=Sort.REPORTED) == [even, mild, wild]

    def test_counts_machines_and_hides_what_they_alone_reported(
        self, three: list[Case], moderator: User
    ) -> None:
        for reporter, case in (("bot", three[0]), ("bot", three[1]), ("b", three[1])):
            report_it(case.post, at=AT, reporter=reporter)
        Complaint.objects.filter(reporter__external_id="bot").update(is_automated=True)

        mild, even, wild = (case.pk for case in three)
        rows = queue.rows(viewer=moderator, wanted=QueueFilter(), at=AT).rows
        counted = {row.case_id: (row.complaints, row.automated_complaints) for row in rows}
        assert counted == {mild: (1, 1), even: (2, 1), wild: (0, 0)}
        assert shown(moderator, AT, hides_automated=True) == [wild, even]

    @pytest.mark.parametrize("sort", Sort)
    def test_pages_without_gaps_or_repeats(self, open_case: Case_, lead: User, sort: Sort) -> None:
        made = {open_case(text=f"post {number}").pk for number in range(7)}
        Case.objects.filter(pk=min(made)).update(is_escalated=True)

        found = shown(lead, AT, sort=sort, limit=2)

        assert len(found) == len(set(found)) == 7
        assert set(found) == made
        assert found[0] == min(made)

    @pytest.mark.parametrize(
        "key", [(1, 2), (False, 2.0), (0, 1.0, 1), (False, "2026-01-01T00:00:00+00:00", 1), (False, 1.0, "x")]
    )
    def test_refuses_a_cursor_of_another_order(self, moderator: User, key: Key) -> None:
        with pytest.raises(InvalidCursor):
            queue.rows(viewer=moderator, wanted=QueueFilter(), at=AT, cursor=keyset.encode(key))


class TestAuditSamples:
    @pytest.mark.parametrize("sort", Sort)
    def test_stand_where_their_score_does_not_matter(
        self, open_case: Case_, fake_scorer: FakeScorer, moderator: User, sort: Sort
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
            Case.objects.update(opened_at=AT)
            orders.append([names[case_id] for case_id in shown(moderator, AT, sort=sort)])

        assert orders[0] == orders[1]

    def test_show_no_probability_even_when_escalated(self, open_case: Case_, lead: User) -> None:
        open_case()
        Score.objects.update(is_audit_sample=True)
        Case.objects.update(reason="escalated", is_escalated=True)

        [row] = queue.rows(viewer=lead, wanted=QueueFilter(), at=AT).rows

        assert row.spam_probability is None


class TestChance:
    def test_is_what_the_lane_gets_through(self) -> None:
        load = Load(decisions=1_000, review_posts=2_000, audit_cases=60, waiting=140)

        assert queue_mix.chance_of(share=0.2, load=load) == pytest.approx((0.8 * 200 - 60 - 20) / 2_000)

    @pytest.mark.parametrize(
        ("share", "load", "chance"),
        [
            (0.2, Load(decisions=0, review_posts=0, audit_cases=0, waiting=0), 0.2),
            (1.0, Load(decisions=9_000, review_posts=10, audit_cases=0, waiting=0), queue_mix.MOST_CHANCE),
            (0.1, Load(decisions=100, review_posts=9_000, audit_cases=99, waiting=9), queue_mix.LEAST_CHANCE),
        ],
    )
    def test_is_never_nothing_and_never_all(self, share: float, load: Load, chance: float) -> None:
        assert queue_mix.chance_of(share=share, load=load) == chance


HOUR = timedelta(hours=1)


def waited(*, at: datetime) -> dict[float, float]:
    """Hours that the oldest had waited, by hours before `at`."""
    return {(at - age.at) / HOUR: age.oldest / HOUR for age in backlog.over_last_day(at=at)}


def set_times(case: Case, *, opened_at: datetime, closed_at: datetime | None = None) -> None:
    """Put a case into the past."""
    state = CaseState.DECIDED if closed_at else CaseState.OPEN
    Case.objects.filter(pk=case.pk).update(opened_at=opened_at, closed_at=closed_at, state=state)


@pytest.mark.django_db
class TestBacklog:
    @pytest.mark.parametrize(
        ("minutes", "bucket"),
        [(0, 0), (4, 0), (5, 1), (29, 1), (30, 2), (119, 2), (120, 3), (480, 4), (900, 4)],
    )
    def test_a_case_is_in_the_bucket_that_begins_with_its_wait(
        self, open_case: Case_, lead: User, minutes: int, bucket: int
    ) -> None:
        open_case()
        Case.objects.update(opened_at=AT - timedelta(minutes=minutes))

        counted = backlog.overview(viewer=lead, at=AT).buckets

        assert [one.index for one in counted if one.cases] == [bucket]

    def test_grows_while_a_case_waits_and_falls_when_it_is_closed(self, open_case: Case_) -> None:
        set_times(open_case(), opened_at=AT - 10 * HOUR, closed_at=AT - 4 * HOUR)
        set_times(open_case(), opened_at=AT - 6 * HOUR)

        found = waited(at=AT)

        assert len(found) == 49
        assert (found[12], found[10], found[7], found[4.5]) == (0, 0, 3, 5.5)
        assert (found[4], found[2], found[0]) == (2, 4, 6)

    def test_is_drawn_on_the_health_page_and_not_asked_every_ten_seconds(
        self, client: Client, moderator: User, open_case: Case_
    ) -> None:
        client.force_login(moderator)
        assert "Nothing waited." in client.get("/health/").text

        open_case()

        assert "fill--rest" in client.get("/health/").text
        assert "fill--rest" not in client.get("/health/", headers={"HX-Request": "true"}).text


@pytest.mark.django_db
def test_case_time_is_the_median_between_decisions_that_were_not_made_at_once(
    open_case: Case_, judged_alike: Judged, moderator: User
) -> None:
    """25 cases that one person decided, one every 30 s, and 200 more in one go."""
    case = open_case()
    for seconds, spam in (*((30 * place, 1) for place in range(25)), (735, 200)):
        when = {"decided_at": AT + timedelta(seconds=seconds)}
        judged_alike(case, probability=0.5, spam=spam, fine=0, decision=when)

    all_of_them = pace.case_time(at=AT + HOUR)
    own = pace.own_pace(user=moderator, at=AT + HOUR)

    assert (all_of_them.seconds, all_of_them.decisions) == (30.0, 24)
    assert (own.seconds, own.today) == (30.0, 225)
