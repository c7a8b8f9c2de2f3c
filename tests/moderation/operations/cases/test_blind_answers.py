"""Answers to blind reviews. Promise: an answer changes nothing outside, until a lead settles what differs."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from moderation.models import (
    AuditEntry,
    BlindReview,
    Case,
    Decision,
    Delivery,
    FeedEntry,
    Label,
    Platform,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import (
    appeals,
    blind_answers,
    blind_reviews,
    claims,
    reversals,
    review,
    shift,
)
from moderation.operations.refusals import CaseClosed, NotAllowed, PostChanged
from moderation.queries.cases import blind_reviews as pages
from moderation.queries.cases.blind_reviews import DisputeState
from moderation.queries.decisions import last_act
from tests.moderation.conftest import judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.cases.conftest import answered
from tests.moderation.operations.conftest import Decided


@pytest.fixture
def first(decided: Decided, platform: Platform, lead: User) -> Decision:
    """A moderator's decision, spam, that is judged again."""
    blind_reviews.plan(platform_id=platform.pk, share=1.0, first_decisions=0, actor=lead, at=AT)
    made = decided(at=later(2))
    blind_reviews.sweep(at=later(100))
    return made


@pytest.fixture
def blind_case(first: Decision) -> Case:
    return Case.objects.get(post=first.post, reason=CaseReason.BLIND)


def answer(
    case: Case, *, by: User, at: datetime, verdict: Verdict = Verdict.SPAM, **given: Any
) -> BlindReview:
    return blind_answers.answer(
        case_id=case.pk, case_version=case.version, moderator=by, verdict=verdict, at=at, **given
    )


def outside() -> tuple[object, ...]:
    """Everything by which somebody outside could notice an act."""
    return (
        list(Decision.objects.values_list("pk", "verdict", "reversal")),
        list(Label.objects.values_list("pk", "is_spam", "retracted_at")),
        list(Delivery.objects.values_list("pk", "event")),
        list(FeedEntry.objects.values_list("pk", flat=True)),
    )


@pytest.mark.usefixtures("webhook")
@pytest.mark.parametrize("verdict", [Verdict.SPAM, Verdict.NOT_SPAM])
def test_an_answer_changes_nothing_outside(blind_case: Case, other_moderator: User, verdict: Verdict) -> None:
    before = outside()

    given = answered(blind_case, by=other_moderator, verdict=verdict, at=later(110), note="looks real")

    assert outside() == before
    assert (given.verdict, given.note, given.answered_by) == (verdict, "looks real", other_moderator)
    assert given.is_disputed is (verdict == Verdict.NOT_SPAM)
    blind_case.refresh_from_db()
    assert (blind_case.state, blind_case.claimed_by) == (CaseState.DECIDED, None)
    entry = AuditEntry.objects.get(action="blind_review.answered")
    assert verdict not in str(entry.details)


def test_cannot_be_decided_or_escalated_like_a_case(blind_case: Case, other_moderator: User) -> None:
    with pytest.raises(review.JudgedBlindly):
        judge(blind_case, other_moderator, at=later(110))
    with pytest.raises(review.JudgedBlindly):
        review.escalate(case_id=blind_case.pk, moderator=other_moderator, at=later(111))


def test_a_repeated_answer_is_the_same_one(blind_case: Case, other_moderator: User) -> None:
    key = uuid4()
    given = answered(blind_case, by=other_moderator, verdict=Verdict.SPAM, at=later(110), idempotency_key=key)

    again = answer(blind_case, by=other_moderator, idempotency_key=key, at=later(111))

    assert (again.pk, again.answered_at) == (given.pk, later(110))
    with pytest.raises(CaseClosed):
        answer(blind_case, by=other_moderator, verdict=Verdict.NOT_SPAM, at=later(112))


def test_escalating_leaves_it_to_a_lead_without_a_verdict(
    blind_case: Case, other_moderator: User, lead: User
) -> None:
    claims.claim(case_id=blind_case.pk, moderator=other_moderator, at=later(110))

    shift.escalate(case_id=blind_case.pk, moderator=other_moderator, note="irony?", at=later(111))

    [found] = pages.disagreements(viewer=lead, state=DisputeState.WAITING, at=later(200)).rows
    assert (found.review.verdict, found.review.note) == ("", "irony?")


class TestUndo:
    def test_opens_the_case_again_for_who_answered_until_its_time_is_over(
        self, blind_case: Case, moderator: User, other_moderator: User
    ) -> None:
        given = answered(blind_case, by=other_moderator, verdict=Verdict.NOT_SPAM, at=later(110))
        assert last_act.undoable(moderator=other_moderator, at=later(112)) == given

        with pytest.raises(NotAllowed):
            blind_answers.undo(review_id=given.pk, moderator=moderator, at=later(111))
        with pytest.raises(reversals.TooLate):
            blind_answers.undo(review_id=given.pk, moderator=other_moderator, at=later(500))
        case = blind_answers.undo(review_id=given.pk, moderator=other_moderator, at=later(112))

        assert (case.state, case.claimed_by) == (CaseState.OPEN, other_moderator)
        given.refresh_from_db()
        assert (given.verdict, given.is_disputed, given.answered_by) == ("", False, None)


@pytest.mark.usefixtures("webhook")
class TestDisagreements:
    @pytest.fixture
    def disputed(self, blind_case: Case, other_moderator: User) -> BlindReview:
        return answered(blind_case, by=other_moderator, verdict=Verdict.NOT_SPAM, at=later(110), note="real")

    def test_wait_for_a_lead_once_the_answer_is_final(self, disputed: BlindReview, lead: User) -> None:
        at_once = pages.disagreements(viewer=lead, state=DisputeState.WAITING, at=later(111))
        final = pages.disagreements(viewer=lead, state=DisputeState.WAITING, at=later(200))

        assert at_once.rows == ()
        assert [found.review for found in final.rows] == [disputed]
        with pytest.raises(blind_answers.NothingToSettle):
            blind_answers.settle(review_id=disputed.pk, verdict=Verdict.SPAM, lead=lead, at=later(111))

    def test_settled_for_the_decision_by_a_lead_change_nothing_outside(
        self, disputed: BlindReview, lead: User, moderator: User
    ) -> None:
        before = outside()

        with pytest.raises(NotAllowed):
            blind_answers.settle(review_id=disputed.pk, verdict=Verdict.SPAM, lead=moderator, at=later(200))
        blind_answers.settle(
            review_id=disputed.pk, verdict=Verdict.SPAM, lead=lead, note="it is spam", at=later(200)
        )

        assert outside() == before
        assert pages.waiting_count(at=later(201)) == 0
        with pytest.raises(blind_answers.NothingToSettle):
            blind_answers.settle(review_id=disputed.pk, verdict=Verdict.NOT_SPAM, lead=lead, at=later(202))

    def test_settled_against_it_correct_it_as_any_correction(
        self, disputed: BlindReview, first: Decision, lead: User
    ) -> None:
        blind_answers.settle(
            review_id=disputed.pk, verdict=Verdict.NOT_SPAM, lead=lead, note="her shop", at=later(200)
        )

        replacement = Decision.objects.get(reversal__isnull=True)
        assert first.reversal.replacement == replacement
        assert (replacement.verdict, replacement.decided_by) == (Verdict.NOT_SPAM, lead)
        told = Delivery.objects.get(decision=replacement)
        assert (told.event, told.body["data"]["reverses"]) == ("decision.reversed", str(first.pk))
        labels = Label.objects.order_by("pk").values_list("is_spam", "retracted_at")
        assert list(labels) == [(True, later(200)), (False, None)]

    def test_are_settled_by_a_third_person(self, blind_case: Case, lead: User, other_lead: User) -> None:
        given = answered(blind_case, by=lead, verdict=Verdict.NOT_SPAM, at=later(110))

        with pytest.raises(blind_answers.Involved):
            blind_answers.settle(review_id=given.pk, verdict=Verdict.SPAM, lead=lead, at=later(200))
        blind_answers.settle(review_id=given.pk, verdict=Verdict.SPAM, lead=other_lead, at=later(200))

    def test_end_where_the_decision_was_corrected(
        self, disputed: BlindReview, first: Decision, lead: User
    ) -> None:
        reversals.correct(
            decision_id=first.pk, verdict=Verdict.NOT_SPAM, moderator=lead, reason="wrong", at=later(150)
        )

        assert pages.waiting_count(at=later(200)) == 0


def test_an_answer_to_what_became_an_appeal_is_refused(
    first: Decision, blind_case: Case, platform: Platform, other_moderator: User
) -> None:
    claims.claim(case_id=blind_case.pk, moderator=other_moderator, at=later(110))
    appeals.dispute(platform=platform, decision_id=first.pk, at=later(111))

    with pytest.raises(PostChanged):
        answer(blind_case, by=other_moderator, at=later(112))
