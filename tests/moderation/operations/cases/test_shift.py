"""Holding cases ahead: fair to others, and never too much of one kind in a row."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connections, transaction

from moderation.models import Case, User
from moderation.models.decisions import Verdict
from moderation.models.posts import ComplaintReason
from moderation.operations import refusals
from moderation.operations.cases import claims, shift
from moderation.queries.cases import exposure
from tests.moderation.conftest import Case_
from tests.moderation.instants import later
from tests.moderation.operations.cases.conftest import complain

TEMPLATE = "Cheap pills for every pain, ask Dr {} today and pay less than ever before"


@pytest.fixture
def eager(moderator: User) -> User:
    """A moderator who wants no more than three of a kind in a row."""
    moderator.stored_preferences = {"run_cap": 3}
    moderator.save()
    return moderator


def decide_next(moderator: User, at: datetime) -> Case:
    """Decide the case in front."""
    [case] = shift.hold(moderator=moderator, at=at)
    choice = shift.Choice(verdict=Verdict.SPAM, case_version=case.version)
    shift.decide(case_id=case.pk, choice=choice, moderator=moderator, at=at)
    return case


def many(open_case: Case_) -> None:
    """Open so many cases that some may be held ahead."""
    for number in range(14):
        open_case(text=f"Post {number}")


def hold_ahead(moderator: User) -> None:
    """Hold three cases ahead, as another process would."""
    shift.hold(moderator=moderator, at=later(3), ahead=3)
    connections.close_all()


class TestHold:
    def test_takes_three_ahead_where_many_wait_and_keeps_them(
        self, open_case: Case_, moderator: User
    ) -> None:
        many(open_case)
        first = shift.hold(moderator=moderator, at=later(2), ahead=3)

        assert len(first) == 4
        assert shift.hold(moderator=moderator, at=later(3), ahead=3) == first

    def test_leaves_the_last_cases_to_others(
        self, open_case: Case_, moderator: User, other_moderator: User
    ) -> None:
        for number in range(3):
            open_case(text=f"Post {number}")

        first = shift.hold(moderator=moderator, at=later(2), ahead=3)
        second = shift.hold(moderator=other_moderator, at=later(2), ahead=3)

        assert (len(first), len(second)) == (1, 1)

    @pytest.mark.django_db(transaction=True)
    def test_takes_no_fewer_where_a_beat_ends_meanwhile(
        self, open_case: Case_, moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        many(open_case)
        [front] = shift.hold(moderator=moderator, at=later(2))
        is_counted, is_unlocked = Event(), Event()
        run = exposure.run

        def run_late(**given: Any) -> exposure.Exposure:
            is_counted.set()
            assert is_unlocked.wait(20)
            return run(**given)

        monkeypatch.setattr(exposure, "run", run_late)

        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                claims.locked(front.pk)
                holding = pool.submit(hold_ahead, moderator)
                assert is_counted.wait(20)
            is_unlocked.set()
            holding.result()

        assert Case.objects.filter(claimed_by=moderator).count() == 4

    @pytest.mark.django_db(transaction=True)
    def test_takes_no_more_while_a_beat_has_the_case_in_front_locked(
        self, open_case: Case_, moderator: User
    ) -> None:
        many(open_case)
        [front] = shift.hold(moderator=moderator, at=later(2))

        with ThreadPoolExecutor(1) as pool, transaction.atomic():
            claims.locked(front.pk)
            pool.submit(hold_ahead, moderator).result()

        assert Case.objects.filter(claimed_by=moderator).count() == 4


class TestRuns:
    def test_of_one_campaign_are_broken_by_something_else(self, open_case: Case_, eager: User) -> None:
        alike = [open_case(text=TEMPLATE.format(name)) for name in ("Miller", "Smith", "Jones", "Brown")]
        other = open_case(text="Has anybody seen my grey cat?")

        shown = [decide_next(eager, later(10 + number)) for number in range(5)]

        assert shown == [*alike[:3], other, alike[3]]

    def test_of_graphic_posts_are_broken_by_something_else(self, open_case: Case_, eager: User) -> None:
        hard = [open_case(text=f"Number {number} {'xyz'[number % 3] * 9}") for number in range(4)]
        other = open_case(text="Has anybody seen my grey cat?")
        for case in hard:
            complain(case.post, reason=ComplaintReason.ADULT, at=later(1))

        shown = [decide_next(eager, later(10 + number)) for number in range(5)]

        assert shown == [*hard[:3], other, hard[3]]

    def test_go_on_when_nothing_else_is_left(self, open_case: Case_, eager: User) -> None:
        alike = [open_case(text=TEMPLATE.format(name)) for name in ("Miller", "Smith", "Jones", "Brown")]

        assert [decide_next(eager, later(10 + number)) for number in range(4)] == alike


class TestPause:
    def test_is_refused_when_the_claim_is_lost(self, claimed_case: Case, moderator: User) -> None:
        with pytest.raises(refusals.ClaimLost):
            shift.pause(case_id=claimed_case.pk, moderator=moderator, at=later(1_000))

    def test_outlives_a_usual_lease(self, claimed_case: Case, moderator: User, other_moderator: User) -> None:
        shift.pause(case_id=claimed_case.pk, moderator=moderator, at=later(5))

        with pytest.raises(refusals.AlreadyClaimed):
            claims.claim(case_id=claimed_case.pk, moderator=other_moderator, at=later(800))
        taken = claims.claim(case_id=claimed_case.pk, moderator=other_moderator, at=later(5 + 901))
        assert taken.claimed_by == other_moderator


def test_a_beat_forgets_readers_who_left(claimed_case: Case, moderator: User, lead: User) -> None:
    shift.beat(moderator=lead, case_ids=[], current_id=claimed_case.pk, at=later(5))

    def readers(at: datetime) -> list[User]:
        found = shift.beat(moderator=moderator, case_ids=[claimed_case.pk], current_id=claimed_case.pk, at=at)
        return found.readers

    assert readers(later(10)) == [lead]
    assert readers(later(5) + timedelta(seconds=shift.PRESENCE_SECONDS + 1)) == []
