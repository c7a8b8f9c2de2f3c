"""Many decided posts judged again by somebody else, as who looks for wrong labels requests it."""

import pytest

from moderation.models import AuditEntry, Case, Decision, Post, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations import refusals
from moderation.operations.cases import second_review
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import later


@pytest.fixture
def decided(open_case: Case_, moderator: User) -> list[Decision]:
    return [judge(open_case(text=f"post {number}"), moderator, at=later(2)) for number in range(2)]


class TestAskMany:
    def test_opens_a_case_of_each_for_somebody_else_and_decides_nothing(
        self, decided: list[Decision], ml_engineer: User, moderator: User
    ) -> None:
        posts = {one.post_id for one in decided}

        found = second_review.ask_many(post_ids=posts, asked_by=ml_engineer, at=later(60))

        assert found == {Case: 2}
        cases = Case.objects.filter(state=CaseState.OPEN, reason=CaseReason.SECOND)
        assert {one.post_id: one.skipped_by for one in cases} == {post: [moderator.pk] for post in posts}
        assert not Decision.objects.filter(reversal__isnull=False).exists()
        entries = AuditEntry.objects.filter(action="case.second_review", actor=ml_engineer)
        assert {one.details["first"] for one in entries} == {one.case_id for one in decided}

    def test_counts_what_hinders_it_and_asks_about_the_rest(
        self, decided: list[Decision], open_case: Case_, moderator: User, lead: User
    ) -> None:
        first, waiting = (one.post_id for one in decided)
        second_review.ask_many(post_ids=[waiting], asked_by=lead, at=later(60))
        undecided = open_case(text="nobody looked at this").post_id
        erased = judge(open_case(text="gone"), moderator, at=later(3)).post_id
        Post.objects.filter(pk=erased).update(erased_at=later(4))

        found = second_review.ask_many(
            post_ids=[first, waiting, undecided, erased, 10**12], asked_by=lead, at=later(61)
        )

        refused = {second_review.AlreadyWaiting: 1, second_review.NotDecided: 1, refusals.Erased: 2}
        assert found == {Case: 1} | refused

    @pytest.mark.parametrize("number", [0, second_review.MOST + 1])
    def test_refuses_none_and_too_many(self, lead: User, number: int) -> None:
        with pytest.raises(refusals.OutOfRange):
            second_review.ask_many(post_ids=range(number), asked_by=lead, at=later(60))

    def test_is_not_for_those_who_review(self, decided: list[Decision], moderator: User) -> None:
        with pytest.raises(refusals.NotAllowed):
            second_review.ask_many(post_ids=[decided[0].post_id], asked_by=moderator, at=later(60))
