"""Who is at work, and how the work was shared."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Case, User
from moderation.models.users import Role
from moderation.operations import activity
from moderation.queries.activity import hours, team
from moderation.queries.activity.hours import Span
from moderation.queries.activity.team import Member
from tests.moderation.conftest import Case_, judge

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def members(at: datetime) -> dict[str, Member]:
    activity.count(at=at)
    found = team.members(period=hours.period(span=Span.DAY, day=at.date()), at=at)
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
