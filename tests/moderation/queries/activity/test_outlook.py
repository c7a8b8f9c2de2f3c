"""The queue now and where it is going; who is at work, and how the work was shared."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case, Platform, User
from moderation.models.cases import CaseState
from moderation.models.users import Role
from moderation.operations import activity
from moderation.operations.webhooks import endpoints
from moderation.queries.activity import hours, outlook
from moderation.queries.activity.hours import Span
from moderation.queries.activity.outlook import Member
from tests.moderation.conftest import Case_, judge

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def timed(open_case: Case_) -> Callable[..., None]:
    """Make cases opened and closed at such times."""

    def make(*, opened_at: datetime, closed_at: datetime | None = None) -> None:
        state = CaseState.DECIDED if closed_at else CaseState.OPEN
        rows = Case.objects.filter(pk=open_case().pk)
        rows.update(opened_at=opened_at, closed_at=closed_at, state=state)

    return make


def test_counts_what_waits_and_what_was_opened_and_closed_today(
    timed: Callable[..., None], at: datetime
) -> None:
    timed(opened_at=at - 20 * HOUR)
    timed(opened_at=at - 2 * HOUR)
    timed(opened_at=at - 20 * HOUR, closed_at=at - HOUR)
    timed(opened_at=at - 3 * HOUR, closed_at=at - HOUR)
    timed(opened_at=at - 20 * HOUR, closed_at=at - 13 * HOUR)

    found = outlook.outlook(at=at)

    assert (found.waiting, found.oldest_at) == (2, at - 20 * HOUR)
    assert (found.opened, found.closed, found.since) == (2, 2, at - 12 * HOUR)


def test_says_when_the_queue_is_empty_at_this_pace(timed: Callable[..., None], at: datetime) -> None:
    timed(opened_at=at - 20 * HOUR)
    for _ in range(3):
        timed(opened_at=at - 20 * HOUR, closed_at=at - HOUR)

    found = outlook.outlook(at=at)

    assert found.gain_per_hour == 3 / 12
    assert found.empty_in == timedelta(hours=4)


def test_a_queue_that_grows_is_never_empty(timed: Callable[..., None], at: datetime) -> None:
    timed(opened_at=at - HOUR)

    found = outlook.outlook(at=at)

    assert found.empty_in is None
    assert found.growth_per_hour == 1 / 12


def test_shortly_after_midnight_looks_at_three_hours(at: datetime) -> None:
    midnight = at.replace(hour=0)

    assert outlook.outlook(at=midnight + HOUR).since == midnight - 2 * HOUR


def test_failures_are_those_that_nobody_tries_again(platform: Platform, at: datetime) -> None:
    endpoint, _ = endpoints.add(platform=platform, url="https://hook.example/", at=at)
    for state in ("failed", "waiting", "delivered"):
        endpoint.deliveries.create(
            platform=platform, event="case.opened", body={}, state=state, created_at=at, next_attempt_at=at
        )

    assert outlook.failures().given_up == 1


def members(at: datetime) -> dict[str, Member]:
    activity.count(at=at)
    found = outlook.members(period=hours.period(span=Span.DAY, day=at.date()), at=at)
    return {member.user.username: member for member in found}


def test_stand_in_the_order_of_their_names(open_case: Case_, at: datetime) -> None:
    for username, first_name in (("a", "Zoe"), ("b", "anna"), ("c", "Bert")):
        User.objects.create_user(username, first_name=first_name)
    judge(open_case(), User.objects.get(username="a"), at=at)

    assert [member.name for member in members(at).values()] == ["anna", "Bert", "Zoe"]


def test_decisions_and_the_hours_that_saw_them_are_counted(
    open_case: Case_, moderator: User, at: datetime
) -> None:
    for moment in (at, at + MINUTE, at + HOUR):
        judge(open_case(), moderator, at=moment)

    member = members(at + 2 * HOUR)["moderator"]

    assert (member.decided, member.hours, member.last_at) == (3, 2, at + HOUR)
    assert not member.is_at_work


@pytest.mark.parametrize(("minutes", "is_at_work"), [(14, True), (16, False)])
def test_whoever_decided_lately_is_at_work(
    open_case: Case_, moderator: User, at: datetime, minutes: int, is_at_work: bool
) -> None:
    judge(open_case(), moderator, at=at)

    assert members(at + minutes * MINUTE)["moderator"].is_at_work is is_at_work


def test_whoever_holds_a_case_is_at_work(claimed_case: Case, at: datetime) -> None:
    member = members(at + MINUTE)["moderator"]

    assert (member.held, member.is_at_work, member.decided) == (1, True, 0)


def test_a_lease_that_ended_holds_nothing(claimed_case: Case, at: datetime) -> None:
    assert members(at + 2 * HOUR)["moderator"].held == 0


def test_who_cannot_decide_is_no_member(at: datetime) -> None:
    User.objects.create_user("engineer", role=Role.ML_ENGINEER)
    User.objects.create_user("gone", is_active=False)

    assert members(at) == {}


def test_who_left_stays_in_the_days_they_worked(open_case: Case_, moderator: User, at: datetime) -> None:
    judge(open_case(), moderator, at=at)
    User.objects.filter(pk=moderator.pk).update(is_active=False)

    assert members(at)["moderator"].decided == 1
