"""Decide or escalate a claimed case. One winning decision per case version."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from moderation.models import Case, Decision, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.notifications import NotificationKind
from moderation.operations.audit import entries
from moderation.operations.cases import claims, notes, overrule
from moderation.operations.decisions import recording
from moderation.operations.notifications import notify
from moderation.operations.refusals import AlreadyDecided, NotAllowed, PostChanged

_audit = entries.writer("case")


class JudgedBlindly(NotAllowed):
    """A blind review is answered (`blind_answers`): no decision comes of it."""


def escalate(*, case_id: int, moderator: User, at: datetime, note: str = "") -> None:
    """Hand a case to the leads, with a note of 2,000 characters at most. Raises ClaimLost."""
    with transaction.atomic():
        case = claims.locked(case_id, moderator=moderator)
        _refuse_blind(case)
        claims.refuse_closed(case)
        claims.refuse_unclaimed(case, moderator=moderator, at=at)
        claims.release(case)
        case.is_escalated = True
        case.reason = "escalated"
        case.save(update_fields=("claimed_by", "lease_end_at", "is_escalated", "reason"))
        row = notes.add(case=case, author=moderator, text=note, at=at) if note else None
        # The audit log can never be erased: it names the note and does not repeat it.
        _audit("case.escalated", case, actor=moderator, at=at, note=row.pk if row else None)
        others = ~Q(pk=moderator.pk)
        notify.write(kind=NotificationKind.ESCALATION, subject=case.pk, people=others, at=at)


def decide(
    *,
    case_id: int,
    case_version: int,
    moderator: User,
    verdict: Verdict,
    at: datetime,
    reason: str = "",
    note: str = "",
    idempotency_key: UUID | None = None,
) -> Decision:
    """Decide a claimed case. Raises AlreadyDecided, CaseClosed, ClaimLost, PostChanged or NotAllowed.

    The row lock serialises concurrent deciders; the second finds the case closed. A request repeated because
    its answer was lost has the same key and gets the same decision. A decision opposite to a human's on the
    same text replaces that one explicitly.
    """
    with transaction.atomic():
        case = claims.locked(case_id, moderator=moderator)
        _refuse_blind(case)
        # Closed comes before unclaimed: a decided case has no claim any more, and a request that is repeated
        # because its answer was lost must get its decision, not ClaimLost.
        try:
            claims.refuse_closed(case)
        except AlreadyDecided as refusal:
            if _is_repeated(refusal.decision, moderator=moderator, verdict=verdict, key=idempotency_key):
                return refusal.decision
            raise
        claims.refuse_unclaimed(case, moderator=moderator, at=at)
        if case.version != case_version:
            raise PostChanged(_("The post was edited while you looked at it."))
        decision = _decision(case, moderator=moderator, verdict=verdict, reason=reason, note=note, at=at)
        decision.idempotency_key = idempotency_key
        replaced = overrule.contradicted(decision)
        # Before the new one: a post has one live label at most (a constraint).
        recording.retract_label(post_id=case.post_id, at=at)
        recording.record(
            decisions=[decision],
            event="decision.reversed" if replaced else "decision.created",
            reverses={case.post_id: replaced.pk} if replaced else None,
        )
        claims.release(case)
        case.state = CaseState.DECIDED
        case.closed_at = at
        case.save(update_fields=("claimed_by", "lease_end_at", "state", "closed_at"))
        # Last: this may open a case for the leads, and a post has one open case at most (a constraint).
        if replaced is not None:
            overrule.write(replaced=replaced, by=decision, at=at)
    return decision


def _is_repeated(decision: Decision, *, moderator: User, verdict: Verdict, key: UUID | None) -> bool:
    return (
        key is not None
        and decision.idempotency_key == key
        and (decision.decided_by, decision.verdict) == (moderator, verdict)
    )


def _refuse_blind(case: Case) -> None:
    if case.reason == CaseReason.BLIND:
        raise JudgedBlindly(_("This case is a blind review: it is answered on the review page."))


def _decision(
    case: Case, *, moderator: User, verdict: Verdict, reason: str, note: str, at: datetime
) -> Decision:
    return Decision(
        post=case.post,
        revision=case.score.revision,
        case=case,
        case_version=case.version,
        score=case.score,
        verdict=verdict,
        source=DecisionSource.MODERATOR,
        reason=reason,
        note=note,
        decided_by=moderator,
        decided_at=at,
        effective_at=recording.effective_at(source=DecisionSource.MODERATOR, decided_at=at),
    )
