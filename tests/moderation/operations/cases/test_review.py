"""Claims, decisions and taking them back: one winner, always.

Promise: what replaces a decision names it, and no lead is overruled silently.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from django.db import connections

from moderation.models import AuditEntry, Case, Decision, Delivery, Label, Revision, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations import refusals
from moderation.operations.cases import claims, reversals, review, second_review
from moderation.operations.scoring import score
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.instants import later


def decide(case: Case, moderator: User, at: datetime, verdict: Verdict = Verdict.SPAM) -> Decision:
    return review.decide(
        case_id=case.pk, case_version=case.version, moderator=moderator, verdict=verdict, at=at
    )


class TestClaimNext:
    def test_returns_held_cases_before_new_ones(self, open_case: Case_, moderator: User) -> None:
        open_case()
        held = claims.claim_next(moderator=moderator, at=later(2))
        open_case(text="another")

        assert claims.claim_next(moderator=moderator, at=later(3)) == held

    def test_offers_expired_claims_again(self, claimed_case: Case, other_moderator: User) -> None:
        assert claims.claim_next(moderator=other_moderator, at=later(3)) == []

        assert claims.claim_next(moderator=other_moderator, at=later(2 + 120)) == [claimed_case]

    def test_keeps_escalated_cases_for_leads(
        self, claimed_case: Case, moderator: User, other_moderator: User, lead: User
    ) -> None:
        review.escalate(case_id=claimed_case.pk, moderator=moderator, at=later(3))

        assert claims.claim_next(moderator=other_moderator, at=later(4)) == []
        assert claims.claim_next(moderator=lead, at=later(4)) == [claimed_case]


class TestClaim:
    def test_extends_on_heartbeat_only_while_held(self, claimed_case: Case, moderator: User) -> None:
        renewed = claims.renew(case_id=claimed_case.pk, moderator=moderator, at=later(100))
        assert renewed.lease_end_at == later(220)

        with pytest.raises(refusals.ClaimLost):
            claims.renew(case_id=claimed_case.pk, moderator=moderator, at=later(220))


@pytest.mark.usefixtures("webhook")
class TestDecide:
    def test_writes_decision_label_audit_and_delivery(self, claimed_case: Case, moderator: User) -> None:
        decision = decide(claimed_case, moderator, later(5))

        assert Label.objects.get().is_spam
        assert Delivery.objects.get().decision == decision
        assert AuditEntry.objects.filter(action="decision.created", actor=moderator).count() == 1
        assert Case.objects.get().state == CaseState.DECIDED

    @pytest.mark.parametrize(
        "broken",
        [
            "decisions.recording.Label.objects.bulk_create",
            "decisions.recording.entries.entry",
            "outbox.messages.Delivery.objects.bulk_create",
        ],
    )
    def test_writes_nothing_when_one_of_them_fails(
        self, claimed_case: Case, moderator: User, monkeypatch: pytest.MonkeyPatch, broken: str
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(f"moderation.operations.{broken}", fail)

        with pytest.raises(OSError, match="disk full"):
            decide(claimed_case, moderator, later(5))

        assert not Decision.objects.exists()
        assert not Label.objects.exists()
        assert Case.objects.get().state == CaseState.OPEN


@pytest.mark.usefixtures("webhook")
class TestUndo:
    def test_reopens_the_case_and_leaves_no_label_and_no_delivery_once_and_to_nobody_else(
        self, claimed_case: Case, moderator: User, lead: User
    ) -> None:
        decision = decide(claimed_case, moderator, later(5))

        with pytest.raises(refusals.NotAllowed):
            reversals.undo(decision_id=decision.pk, moderator=lead, at=later(6))
        case = reversals.undo(decision_id=decision.pk, moderator=moderator, at=later(14))
        with pytest.raises(reversals.AlreadyReversed):
            reversals.undo(decision_id=decision.pk, moderator=moderator, at=later(14))

        assert (case.state, case.claimed_by) == (CaseState.OPEN, moderator)
        assert Label.objects.get().retracted_at == later(14)
        assert Delivery.objects.get().state == DeliveryState.CANCELLED
        assert decide(case, moderator, later(15), Verdict.NOT_SPAM).verdict == Verdict.NOT_SPAM


class TestCorrect:
    def test_refuses_others_unless_a_lead_asks(
        self, claimed_case: Case, moderator: User, other_moderator: User, lead: User
    ) -> None:
        wrong = decide(claimed_case, moderator, later(5))

        with pytest.raises(refusals.NotAllowed):
            reversals.correct(
                decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=other_moderator, at=later(60)
            )
        with pytest.raises(reversals.SameVerdict):
            reversals.correct(decision_id=wrong.pk, verdict=Verdict.SPAM, moderator=lead, at=later(60))
        reversals.correct(decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(60))


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_never_gives_one_case_to_two_moderators(self, open_case: Case_) -> None:
        for number in range(20):
            open_case(text=f"case number {number}")
        moderators = [User.objects.create_user(f"moderator-{number}") for number in range(8)]

        def attempt(moderator: User) -> list[int]:
            try:
                return [case.pk for case in claims.claim_next(moderator=moderator, at=later(5), count=2)]
            finally:
                connections.close_all()

        with ThreadPoolExecutor(8) as pool:
            claimed = [pk for pks in pool.map(attempt, moderators) for pk in pks]

        assert len(claimed) == len(set(claimed)) == 16


@pytest.fixture
def first(open_case: Case_, lead: User) -> Decision:
    """A lead's decision."""
    return judge(open_case(), lead, at=later(2))


@pytest.fixture
def second_case(first: Decision, lead: User) -> Case:
    assert first.case is not None
    return second_review.ask(case_id=first.case.pk, asked_by=lead, at=later(60))


@pytest.mark.usefixtures("webhook")
class TestOverrule:
    def test_names_what_it_replaces_and_undone_lets_that_stand(
        self, first: Decision, second_case: Case, moderator: User
    ) -> None:
        second = judge(second_case, moderator, at=later(70), verdict=Verdict.NOT_SPAM)

        assert first.reversal.replacement == second
        told = Delivery.objects.get(decision=second)
        assert (told.event, told.body["data"]["reverses"]) == ("decision.reversed", str(first.pk))
        entry = AuditEntry.objects.get(action="decision.created", subject_id=str(second.pk))
        assert entry.details["reverses"] == first.pk

        reversals.undo(decision_id=second.pk, moderator=moderator, at=later(72))
        assert Decision.objects.get(reversal__isnull=True) == first
        assert Case.objects.get(state=CaseState.OPEN) == second_case

    def test_asks_the_leads_where_a_lead_is_overruled(
        self, second_case: Case, moderator: User, lead: User
    ) -> None:
        judge(second_case, moderator, at=later(70), verdict=Verdict.NOT_SPAM)

        last = Case.objects.get(state=CaseState.OPEN)
        assert (last.reason, last.is_escalated, last.skipped_by) == (CaseReason.SECOND, True, [moderator.pk])
        final = judge(last, lead, at=later(90))
        assert Decision.objects.get(reversal__isnull=True) == final
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_who_agrees_replaces_nothing(self, first: Decision, second_case: Case, moderator: User) -> None:
        second = judge(second_case, moderator, at=later(70))

        assert not hasattr(Decision.objects.get(pk=first.pk), "reversal")
        assert Delivery.objects.get(decision=second).event == "decision.created"
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_a_lead_overrules_a_moderator_without_a_third_look(
        self, open_case: Case_, moderator: User, lead: User
    ) -> None:
        first = judge(open_case(), moderator, at=later(2))
        assert first.case is not None
        again = second_review.ask(case_id=first.case.pk, asked_by=moderator, at=later(60))

        judge(again, lead, at=later(70), verdict=Verdict.NOT_SPAM)

        assert hasattr(Decision.objects.get(pk=first.pk), "reversal")
        assert not Case.objects.filter(state=CaseState.OPEN).exists()


def test_a_decision_on_an_edited_post_reverses_nothing(
    post: Post_, open_case: Case_, moderator: User, lead: User
) -> None:
    first = judge(open_case(external_id="p"), lead, at=later(2))
    edited = post(external_id="p", text="Found her, thank you", revision=2, at=later(60))
    score.run(revision_ids=[Revision.objects.get(post=edited, number=2).pk], at=later(61))

    second = judge(Case.objects.get(state=CaseState.OPEN), moderator, at=later(70), verdict=Verdict.NOT_SPAM)

    assert second.revision != first.revision
    assert not hasattr(Decision.objects.get(pk=first.pk), "reversal")
