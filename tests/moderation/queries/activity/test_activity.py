"""The queue and the work on it: what a period saw, what waits and where it is going, who is at work."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from moderation.models import Case, HourlyCount, Platform, Score, ScoringJob, User
from moderation.models.activity import Measure
from moderation.models.cases import CaseState
from moderation.models.users import Role
from moderation.operations import activity
from moderation.operations.webhooks import endpoints
from moderation.queries.activity import hours, outlook, today
from moderation.queries.activity.outlook import Flow, Member
from tests.moderation.conftest import Case_, Cases, Post_, judge
from tests.moderation.instants import AT

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def timed(open_case: Case_) -> Callable[..., None]:
    """Make cases opened and closed at such times."""

    def make(
        *, opened_at: datetime, closed_at: datetime | None = None, state: CaseState = CaseState.DECIDED
    ) -> None:
        state = state if closed_at else CaseState.OPEN
        rows = Case.objects.filter(pk=open_case().pk)
        rows.update(opened_at=opened_at, closed_at=closed_at, state=state)

    return make


def members(at: datetime) -> dict[str, Member]:
    activity.count(at=at)
    found = outlook.members(period=hours.period(first=at.date(), last=at.date(), zone=UTC), at=at)
    return {member.user.username: member for member in found}


@pytest.mark.django_db
class TestOutlook:
    def test_counts_what_waits_and_what_came_and_went(self, timed: Callable[..., None]) -> None:
        timed(opened_at=AT - 30 * HOUR)
        timed(opened_at=AT - 30 * MINUTE)
        timed(opened_at=AT - 30 * HOUR, closed_at=AT - MINUTE, state=CaseState.WITHDRAWN)
        timed(opened_at=AT - 3 * HOUR, closed_at=AT - MINUTE)
        timed(opened_at=AT - 20 * HOUR, closed_at=AT - 13 * HOUR)
        timed(opened_at=AT - 30 * HOUR, closed_at=AT - 25 * HOUR)

        found = outlook.outlook(at=AT)

        assert (found.waiting, found.oldest_at) == (2, AT - 30 * HOUR)
        assert found.hour == Flow(opened=1, decided=1, withdrawn=1)
        assert found.day == Flow(opened=3, decided=2, withdrawn=1)

    def test_says_when_the_queue_is_empty_at_this_pace(self, timed: Callable[..., None]) -> None:
        timed(opened_at=AT - 30 * HOUR)
        for _ in range(3):
            timed(opened_at=AT - 30 * HOUR, closed_at=AT - 2 * HOUR)

        found = outlook.outlook(at=AT)

        assert found.gain_per_hour == 3 / 24
        assert found.empty_in == timedelta(hours=8)

    def test_a_queue_that_grows_is_never_empty(self, timed: Callable[..., None]) -> None:
        timed(opened_at=AT - HOUR)

        found = outlook.outlook(at=AT)

        assert found.empty_in is None
        assert found.growth_per_hour == 1 / 24

    @pytest.mark.parametrize("moment", [timedelta(0), 12 * HOUR])
    def test_a_busy_hour_makes_the_pace_at_midnight_as_at_noon(
        self, open_cases: Cases, at: datetime, moment: timedelta
    ) -> None:
        at = at.replace(hour=0) + moment
        open_cases([{}] * 10)
        Case.objects.update(opened_at=at - 50 * MINUTE)

        assert outlook.outlook(at=at).growth_per_hour == 10
        assert outlook.outlook(at=at + 11 * MINUTE).growth_per_hour == 10 / 24

    def test_failures_are_those_that_nobody_tries_again(self, platform: Platform) -> None:
        endpoint, _ = endpoints.add(platform=platform, url="https://hook.example/", at=AT)
        for state in ("failed", "waiting", "delivered"):
            endpoint.deliveries.create(
                platform=platform,
                event="case.opened",
                body={},
                state=state,
                created_at=AT,
                next_attempt_at=AT,
            )

        assert outlook.failures(at=AT).given_up == 1

    def test_counts_scores_of_a_day_without_a_model_although_they_were_scored_again(
        self, open_cases: Cases
    ) -> None:
        old, *_lately = open_cases([{}] * 3)
        Score.objects.update(is_degraded=True, scored_at=AT - HOUR)
        Score.objects.filter(pk=old.score_id).update(scored_at=AT - DAY)
        ScoringJob.objects.update(state="scored")

        assert outlook.failures(at=AT).degraded == 2

    def test_stand_in_the_order_of_their_names(self, open_case: Case_) -> None:
        for username, first_name in (("a", "Zoe"), ("b", "anna"), ("c", "Bert")):
            User.objects.create_user(username, first_name=first_name)
        judge(open_case(), User.objects.get(username="a"), at=AT)

        assert [member.name for member in members(AT).values()] == ["anna", "Bert", "Zoe"]

    def test_decisions_and_the_hours_that_saw_them_are_counted(
        self, open_case: Case_, moderator: User
    ) -> None:
        for moment in (AT, AT + MINUTE, AT + HOUR):
            judge(open_case(), moderator, at=moment)

        member = members(AT + 2 * HOUR)["moderator"]

        assert (member.decided, member.hours, member.last_at) == (3, 2, AT + HOUR)
        assert not member.is_at_work

    @pytest.mark.parametrize(("minutes", "is_at_work"), [(14, True), (16, False)])
    def test_whoever_decided_lately_is_at_work(
        self, open_case: Case_, moderator: User, minutes: int, is_at_work: bool
    ) -> None:
        judge(open_case(), moderator, at=AT)

        assert members(AT + minutes * MINUTE)["moderator"].is_at_work is is_at_work

    def test_whoever_holds_a_case_is_at_work_until_the_lease_ends(self, claimed_case: Case) -> None:
        member = members(AT + MINUTE)["moderator"]

        assert (member.held, member.is_at_work, member.decided) == (1, True, 0)
        assert members(AT + 2 * HOUR)["moderator"].held == 0

    def test_who_cannot_decide_is_no_member(self) -> None:
        User.objects.create_user("engineer", role=Role.ML_ENGINEER)
        User.objects.create_user("gone", is_active=False)

        assert members(AT) == {}

    def test_who_left_stays_in_the_days_they_worked(self, open_case: Case_, moderator: User) -> None:
        judge(open_case(), moderator, at=AT)
        User.objects.filter(pk=moderator.pk).update(is_active=False)

        assert members(AT)["moderator"].decided == 1


DATE = date(2026, 3, 1)


def count(hour: datetime, number: int, measure: Measure = Measure.POSTS) -> None:
    HourlyCount.objects.create(hour=hour, measure=measure, number=number, counted_at=hour + HOUR)


def sheet(at: datetime, last: date = DATE) -> today.Sheet:
    return today.sheet(period=hours.period(first=DATE, last=last, zone=UTC), at=at)


@pytest.mark.django_db
class TestSteps:
    def test_a_day_has_a_number_for_each_counted_hour(self) -> None:
        count(AT - HOUR, 7)
        count(AT, 3)

        found = sheet(AT).steps

        assert [step.counts[Measure.POSTS] for step in found if step.counts] == [7, 3]
        assert [step.is_whole for step in found if step.counts] == [True, False]

    def test_a_month_has_sums_of_its_days(self) -> None:
        for hour in range(24):
            count(AT.replace(hour=0) + hour * HOUR, 2)

        found = sheet(AT + DAY, DATE + 27 * DAY)

        assert found.steps[0].counts is not None
        assert found.steps[0].counts[Measure.POSTS] == 48
        assert found.steps[0].is_whole
        assert found.steps[1].counts is None
        assert found.totals[Measure.POSTS] == 48

    def test_hours_of_the_week_before_count_for_nothing(self) -> None:
        count(AT - DAY, 9)

        assert sheet(AT).totals[Measure.POSTS] == 0

    def test_hours_since_the_first_post_that_nobody_counted_are_missing(self, post: Post_) -> None:
        assert sheet(AT).missing == 0

        post(at=AT - 3 * HOUR)
        count(AT - 2 * HOUR, 1)

        assert sheet(AT).missing == 2


@pytest.mark.django_db
class TestSpikes:
    @pytest.mark.parametrize(
        ("usual", "number", "is_spike"),
        [(100, 300, True), (100, 299, False), (5, 35, True), (5, 34, False), (0, 30, True), (0, 29, False)],
    )
    def test_are_far_above_the_same_hour_of_the_days_before(
        self, usual: int, number: int, is_spike: bool
    ) -> None:
        for days in (1, 2, 3, 7):
            count(AT - days * DAY, usual)
        count(AT, number)

        assert bool(sheet(AT).spikes) is is_spike

    def test_one_wild_day_before_makes_nothing_usual(self) -> None:
        for days, number in ((1, 10), (2, 10), (3, 5_000)):
            count(AT - days * DAY, number)
        count(AT, 100)

        [spike] = sheet(AT).spikes

        assert (spike.hour, spike.number, spike.usual) == (AT, 100, 10)

    def test_need_three_counted_days(self) -> None:
        for days in (1, 2, 8):
            count(AT - days * DAY, 1)
        count(AT, 1_000)

        assert sheet(AT).spikes == ()

    def test_are_looked_for_among_removals_too(self) -> None:
        for days in (1, 2, 3):
            count(AT - days * DAY, 1_000)
        count(AT, 1_000)
        count(AT, 60, Measure.FILTER_SPAM)

        assert [spike.measure for spike in sheet(AT).spikes] == [Measure.FILTER_SPAM]

    def test_are_found_in_a_month(self) -> None:
        for days in (1, 2, 3):
            count(AT - days * DAY, 1)
        count(AT, 500)

        assert [spike.hour for spike in sheet(AT, DATE + 27 * DAY).spikes] == [AT]
