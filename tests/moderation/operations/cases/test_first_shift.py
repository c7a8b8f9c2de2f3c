"""The first shift. Promise: golden items alone, for people who have decided nothing, counted by itself."""

from datetime import timedelta
from typing import Any

import pytest

from moderation.models import BlindReview, Case, Decision, FeedEntry, GoldenItem, NamedQueue, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import blind_answers, claims, golden_items, shift
from moderation.queries.cases import first_shift
from moderation.queries.cases import golden_items as figures
from moderation.queries.cases.first_shift import FirstShift
from moderation.queries.cases.queue_filter import FIRST_SHIFT
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import later
from tests.moderation.operations.cases.conftest import answered, vouched

pytestmark = pytest.mark.usefixtures("items", "other_moderator")


@pytest.fixture
def items(open_case: Case_, moderator: User, lead: User, other_lead: User) -> list[GoldenItem]:
    """Six golden items, and a case that is none."""
    open_case(text="An ordinary post in the queue")
    return vouched(open_case, 6, by=moderator, leads=(lead, other_lead), at=later(2))


@pytest.fixture
def new_moderator(third_moderator: User) -> User:
    return third_moderator


def held(user: User, *, ahead: int = 0) -> list[Case]:
    return shift.hold(moderator=user, at=later(10), ahead=ahead, wanted=FIRST_SHIFT)


def answer(user: User, case: Case) -> BlindReview:
    choice = shift.Choice(verdict=Verdict.SPAM, case_version=case.version)
    shift.decide(case_id=case.pk, choice=choice, moderator=user, at=later(10), wanted=FIRST_SHIFT)
    return BlindReview.objects.get(case=case)


class TestOffer:
    def test_is_for_people_who_never_decided(self, new_moderator: User, moderator: User, lead: User) -> None:
        found = [first_shift.of(user=user, at=later(10)) for user in (new_moderator, moderator, lead)]

        assert found == [FirstShift(answered=0, left=6), None, None]

    @pytest.mark.parametrize(("retired", "is_offered"), [(1, True), (2, False)])
    def test_needs_five_items(
        self, items: list[GoldenItem], new_moderator: User, lead: User, retired: int, is_offered: bool
    ) -> None:
        for item in items[:retired]:
            golden_items.retire(item_id=item.pk, lead=lead, is_wrong=False, at=later(5))

        assert bool(held(new_moderator)) is is_offered

    def test_leaves_out_queues_of_others(self, new_moderator: User) -> None:
        NamedQueue.objects.create(name="Blind", reasons=["blind"], is_exclusive=True)

        assert (first_shift.of(user=new_moderator, at=later(10)), held(new_moderator)) == (None, [])

    def test_leaves_out_languages_that_somebody_does_not_read(self, new_moderator: User) -> None:
        Case.objects.update(language="ar")
        new_moderator.languages = ["de"]

        assert first_shift.of(user=new_moderator, at=later(10)) is None


class TestShift:
    def test_holds_golden_items_alone_and_ends(self, items: list[GoldenItem], new_moderator: User) -> None:
        feed, seen = FeedEntry.objects.count(), []
        for number in range(6):
            cases = held(new_moderator, ahead=3)
            assert len(cases) == min(4, 6 - number)
            seen.append(cases[0].post_id)
            answer(new_moderator, cases[0])

        assert sorted(seen) == sorted(item.post_id for item in items)
        assert held(new_moderator, ahead=3) == []
        assert first_shift.of(user=new_moderator, at=later(10)) == FirstShift(answered=6, left=0)
        assert not Decision.objects.filter(decided_by=new_moderator).exists()
        assert FeedEntry.objects.count() == feed

    def test_can_be_undone(self, new_moderator: User) -> None:
        review = answer(new_moderator, *held(new_moderator))

        case = blind_answers.undo(review_id=review.pk, moderator=new_moderator, at=later(10))

        assert BlindReview.objects.get(pk=review.pk).cause == "golden"
        assert held(new_moderator) == [case]

    def test_what_is_skipped_is_not_given_again(self, new_moderator: User) -> None:
        [case] = held(new_moderator)
        claims.skip(case_id=case.pk, moderator=new_moderator, at=later(10))

        assert case not in held(new_moderator, ahead=3)


class TestFigures:
    def test_count_it_by_itself(self, new_moderator: User) -> None:
        review = answer(new_moderator, *held(new_moderator))

        own = figures.own_result(user=new_moderator, at=later(10) + timedelta(days=7))

        right = int(review.golden is not None and review.golden.verdict == Verdict.SPAM)
        assert (own.answers, own.first_answers, own.first_right) == (0, 1, right)
        rows: list[Any] = list(figures.page(state=figures.GoldenState.USED).rows)
        assert {item.answers for item in rows} == {0}

    def test_count_what_somebody_else_answers_of_it(self, new_moderator: User, other_moderator: User) -> None:
        [case] = held(new_moderator)
        claims.hand_back(case_id=case.pk, moderator=new_moderator)

        given = answered(case, by=other_moderator, verdict=Verdict.SPAM, at=later(20))

        assert given.cause == "golden"

    def test_count_answers_of_people_who_decide_cases(self, new_moderator: User, open_case: Case_) -> None:
        [case] = held(new_moderator)
        judge(open_case(text="A case at last"), new_moderator, at=later(10))

        assert answer(new_moderator, case).cause == "golden"
