"""Record which decision a new one replaces when people disagree; no lead is overruled silently.

Deliberate corrections are in `reversals`; this handles second reviews, appeals and reopened cases.
"""

from datetime import datetime

from moderation.models import Case, Decision, Reversal
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource
from moderation.operations.cases import opening
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import announce


def standing_of_person(**among: object) -> Decision | None:
    """Return the newest decision that stands among these, such as those of a post, if a person made it."""
    decisions = Decision.objects.filter(**among, reversal__isnull=True)
    newest = decisions.select_related("decided_by").order_by("-decided_at", "-id").first()
    return newest if newest is not None and newest.source == DecisionSource.MODERATOR else None


def contradicted(decision: Decision) -> Decision | None:
    """Return the human decision on the same revision that says the opposite of a new one, if one stands.

    Call with the post locked, before the new one is saved.
    """
    standing = standing_of_person(post=decision.post_id, revision=decision.revision_id)
    return standing if standing is not None and standing.verdict != decision.verdict else None


@transactions.required
def write(*, replaced: Decision, by: Decision, at: datetime) -> None:
    """Record that a decision was replaced.

    If a non-lead replaced a lead's decision, open a case for the leads.

    Call inside the transaction that saved the new decision and closed its case.
    """
    if by.decided_by is None:
        raise ValueError("only people overrule people")
    Reversal.objects.create(decision=replaced, replacement=by, reversed_by=by.decided_by, reversed_at=at)
    was_lead = replaced.decided_by is not None and replaced.decided_by.may_lead
    if was_lead and not by.decided_by.may_lead:
        case = opening.opened(by.post, reason=CaseReason.SECOND, at=at, is_escalated=True)
        case.skipped_by = [by.decided_by.pk]
        case.save(update_fields=("skipped_by",))
        announce.opened([case], at=at)


def taken_back(*, decision: Decision, at: datetime) -> None:
    """Restore the replaced decision after its replacement was undone, and close the leads' case."""
    count, _ = Reversal.objects.filter(replacement=decision).delete()
    if count:
        cases = Case.objects.filter(
            post=decision.post_id,
            reason=CaseReason.SECOND,
            state=CaseState.OPEN,
            is_escalated=True,
            opened_at=decision.decided_at,
        )
        cases.update(state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None)
