"""How long cases take."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Case, User
from moderation.queries.cases import pace
from tests.moderation.conftest import Case_, Judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_by_one(open_case: Case_, judged_alike: Judged, at: datetime) -> Case:
    """25 cases that one person decided, one every 30 s."""
    case = open_case()
    for place in range(25):
        when = {"decided_at": at + timedelta(seconds=30 * place)}
        judged_alike(case, probability=0.5, spam=1, fine=0, decision=when)
    return case


@pytest.fixture
def many_at_once(one_by_one: Case, judged_alike: Judged, at: datetime) -> None:
    """200 more that the person decided in one go."""
    at_once = {"decided_at": at + timedelta(seconds=735)}
    judged_alike(one_by_one, probability=0.5, spam=200, fine=0, decision=at_once)


class TestCaseTime:
    def test_is_the_median_between_two_decisions_of_a_person(self, one_by_one: Case, at: datetime) -> None:
        found = pace.case_time(at=at + timedelta(hours=1))

        assert (found.seconds, found.decisions) == (30.0, 24)

    def test_leaves_out_what_was_decided_at_once(self, many_at_once: None, at: datetime) -> None:
        found = pace.case_time(at=at + timedelta(hours=1))

        assert (found.seconds, found.decisions) == (30.0, 24)


def test_ones_own_pace_leaves_them_out_too(many_at_once: None, moderator: User, at: datetime) -> None:
    found = pace.own_pace(user=moderator, at=at + timedelta(hours=1))

    assert (found.seconds, found.today) == (30.0, 225)
