"""Blind reviews are drawn. Promise: by the plan's share, once, after the undo time, and never a flood."""

import pytest

from moderation.models import BlindReview, BlindReviewPlan, Case, Delivery, Platform, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.cases import appeals, blind_reviews, claims, reversals
from moderation.operations.erasure import erase
from moderation.operations.refusals import NotAllowed, OutOfRange
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import Decided


@pytest.fixture
def every(platform: Platform, lead: User) -> BlindReviewPlan:
    """Every decision from `at` on is judged again."""
    return blind_reviews.plan(platform_id=platform.pk, share=1.0, first_decisions=0, actor=lead, at=AT)


def blind_cases() -> list[Case]:
    return list(Case.objects.filter(reason=CaseReason.BLIND, state=CaseState.OPEN).order_by("pk"))


class TestPlan:
    def test_is_for_leads(self, platform: Platform, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            blind_reviews.plan(platform_id=platform.pk, share=0.5, first_decisions=0, actor=moderator, at=AT)

    @pytest.mark.parametrize(("share", "firsts"), [(-0.1, 0), (1.1, 0), (0.5, -1), (0.5, 501)])
    def test_has_limits(self, platform: Platform, lead: User, share: float, firsts: int) -> None:
        with pytest.raises(OutOfRange):
            blind_reviews.plan(
                platform_id=platform.pk, share=share, first_decisions=firsts, actor=lead, at=AT
            )

    def test_leaves_out_what_was_decided_before_it(
        self, decided: Decided, platform: Platform, lead: User
    ) -> None:
        decided(at=later(2))
        blind_reviews.plan(platform_id=platform.pk, share=1.0, first_decisions=0, actor=lead, at=later(100))

        blind_reviews.sweep(at=later(1_000))

        assert not BlindReview.objects.exists()


@pytest.mark.usefixtures("every")
class TestSweep:
    def test_opens_a_blind_case_that_the_decider_cannot_get(
        self, decided: Decided, moderator: User, other_moderator: User
    ) -> None:
        first = decided(at=later(2))

        assert blind_reviews.sweep(at=first.effective_at) == 0  # it can still be undone
        assert blind_reviews.sweep(at=later(100)) == 1

        [case] = blind_cases()
        review = BlindReview.objects.get(case=case)
        assert (review.decision, review.cause, review.chance) == (first, BlindCause.SAMPLE, 1.0)
        assert claims.claim_next(moderator=moderator, at=later(101)) == []
        with pytest.raises(NotAllowed):
            claims.claim(case_id=case.pk, moderator=moderator, at=later(101))
        assert claims.claim_next(moderator=other_moderator, at=later(101)) == [case]

    def test_draws_a_decision_once_and_tells_the_platform_nothing(
        self, decided: Decided, webhook: Platform
    ) -> None:
        decided(at=later(2))
        before = Delivery.objects.count()

        assert [blind_reviews.sweep(at=later(seconds)) for seconds in (100, 160, 220)] == [1, 0, 0]
        assert Delivery.objects.count() == before

    def test_leaves_out_what_was_undone(self, decided: Decided, moderator: User) -> None:
        first = decided(at=later(2))
        case = reversals.undo(decision_id=first.pk, moderator=moderator, at=later(4))
        claims.hand_back(case_id=case.pk, moderator=moderator)

        blind_reviews.sweep(at=later(100))

        assert not BlindReview.objects.exists()

    def test_leaves_out_erased_posts(self, decided: Decided) -> None:
        erase.post(post_id=decided(at=later(2)).post_id, at=later(50))

        assert blind_reviews.sweep(at=later(100)) == 0

    def test_never_fills_more_than_its_part_of_the_queue(self, decided: Decided) -> None:
        for number in range(8):
            decided(at=later(2 + number))

        assert blind_reviews.sweep(at=later(100)) == blind_reviews.FEWEST
        assert BlindReview.objects.filter(case__isnull=True).count() == 8 - blind_reviews.FEWEST
        Case.objects.filter(pk=blind_cases()[0].pk).update(state=CaseState.WITHDRAWN)
        assert blind_reviews.sweep(at=later(200)) == 1

    def test_gives_up_what_nobody_took(self, decided: Decided) -> None:
        decided(at=later(2))
        blind_reviews.sweep(at=later(100))

        blind_reviews.sweep(at=later(100) + blind_reviews.WAITS)

        assert blind_cases() == []
        assert not BlindReview.objects.filter(answered_at__isnull=False).exists()

    def test_an_appeal_makes_an_ordinary_case_of_it(self, decided: Decided, platform: Platform) -> None:
        first = decided(at=later(2))
        blind_reviews.sweep(at=later(100))

        appeals.dispute(platform=platform, decision_id=first.pk, at=later(110))

        [case] = Case.objects.filter(state=CaseState.OPEN)
        assert (case.reason, case.is_escalated, case.skipped_by) == (CaseReason.APPEALED, True, [])


def test_takes_all_first_decisions_of_a_new_moderator_and_no_more(
    decided: Decided, platform: Platform, lead: User
) -> None:
    blind_reviews.plan(platform_id=platform.pk, share=0.0, first_decisions=2, actor=lead, at=AT)
    firsts = [decided(at=later(2 + number)) for number in range(3)][:2]

    blind_reviews.sweep(at=later(100))

    drawn = BlindReview.objects.order_by("decision_id")
    assert [(one.decision, one.cause, one.chance) for one in drawn] == [
        (first, BlindCause.FIRST, 1.0) for first in firsts
    ]


def test_draws_about_its_share_and_logs_the_chance(decided: Decided, platform: Platform, lead: User) -> None:
    blind_reviews.plan(platform_id=platform.pk, share=0.5, first_decisions=0, actor=lead, at=AT)
    numbers = [blind_reviews.draw("blind review", pk) for pk in range(2_000)]
    assert 0.46 < sum(number < 0.5 for number in numbers) / 2_000 < 0.54
    made = [decided(at=later(2 + number)) for number in range(6)]

    blind_reviews.sweep(at=later(100))

    expected = {one.pk for one in made if blind_reviews.draw("blind review", one.pk) < 0.5}
    assert set(BlindReview.objects.values_list("decision_id", flat=True)) == expected
    assert set(BlindReview.objects.values_list("chance", flat=True)) <= {0.5}


@pytest.mark.usefixtures("every")
def test_nobody_who_decided_its_like_gets_it(
    open_case: Case_, decided: Decided, moderator: User, other_moderator: User
) -> None:
    text = "Cheap pills without prescription, call 1-800-555-0101"
    decided(at=later(2), case=open_case(text=text))
    judge(open_case(text=text), other_moderator, at=later(3))

    blind_reviews.sweep(at=later(100))

    assert {tuple(case.skipped_by) for case in blind_cases()} == {
        tuple(sorted((moderator.pk, other_moderator.pk)))
    }
