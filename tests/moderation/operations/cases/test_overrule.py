"""People who disagree. Promise: what replaces a decision names it, and no lead is overruled silently."""

from __future__ import annotations

import pytest

from moderation.models import AuditEntry, Case, Decision, Delivery, Revision, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals, second_review
from moderation.operations.scoring import score
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.instants import later


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
    def test_names_what_it_replaces_to_the_platform_and_the_audit_log(
        self, first: Decision, second_case: Case, moderator: User
    ) -> None:
        second = judge(second_case, moderator, at=later(70), verdict=Verdict.NOT_SPAM)

        assert first.reversal.replacement == second
        told = Delivery.objects.get(decision=second)
        assert (told.event, told.body["data"]["reverses"]) == ("decision.reversed", str(first.pk))
        entry = AuditEntry.objects.get(action="decision.created", subject_id=str(second.pk))
        assert entry.details["reverses"] == first.pk

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

    def test_undone_it_lets_the_first_decision_stand(
        self, first: Decision, second_case: Case, moderator: User
    ) -> None:
        second = judge(second_case, moderator, at=later(70), verdict=Verdict.NOT_SPAM)

        reversals.undo(decision_id=second.pk, moderator=moderator, at=later(72))

        assert Decision.objects.get(reversal__isnull=True) == first
        assert Case.objects.get(state=CaseState.OPEN) == second_case


def test_a_decision_on_an_edited_post_reverses_nothing(
    post: Post_, open_case: Case_, moderator: User, lead: User
) -> None:
    first = judge(open_case(external_id="p"), lead, at=later(2))
    edited = post(external_id="p", text="Found her, thank you", revision=2, at=later(60))
    score.run(revision_ids=[Revision.objects.get(post=edited, number=2).pk], at=later(61))

    second = judge(Case.objects.get(state=CaseState.OPEN), moderator, at=later(70), verdict=Verdict.NOT_SPAM)

    assert second.revision != first.revision
    assert not hasattr(Decision.objects.get(pk=first.pk), "reversal")
