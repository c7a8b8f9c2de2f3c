"""Answer blind reviews: the verdict is kept beside the decision, which stands. Nobody outside is told.

Where the two differ, a lead who sees both has the last word.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import BlindReview, Case, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.operations.audit import entries
from moderation.operations.cases import claims, reversals
from moderation.operations.cases.reversals import PostErased, TooLate
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import NotAllowed, PostChanged, Refusal

_audit, _audit_decision = entries.writer("case"), entries.writer("decision")


class NothingToSettle(Refusal):
    """Nobody disagrees, the answer may still be undone, or somebody settled or corrected it before."""


class Involved(Refusal):
    """Both verdicts are judged by a third person."""


def answer(
    *,
    case_id: int,
    case_version: int,
    moderator: User,
    verdict: Verdict,
    at: datetime,
    reason: str = "",
    note: str = "",
    idempotency_key: UUID | None = None,
) -> BlindReview:
    """Store a moderator's verdict on a claimed blind review; a repeated request has the same key.

    Raises CaseClosed, ClaimLost, PostChanged or NotAllowed.
    """
    with transaction.atomic():
        case = claims.locked(case_id, moderator=moderator)
        review = _review(case)
        is_repeated = idempotency_key is not None and review.idempotency_key == idempotency_key
        if is_repeated and review.answered_by == moderator and review.verdict == verdict:
            return review
        claims.refuse_closed(case)
        claims.refuse_unclaimed(case, moderator=moderator, at=at)
        if case.version != case_version:
            raise PostChanged(_("The post was edited while you looked at it."))
        review.verdict, review.reason, review.idempotency_key = verdict, reason, idempotency_key
        _close(review, case, moderator=moderator, note=note, at=at)
    return review


def hand_on(*, case_id: int, moderator: User, at: datetime, note: str = "") -> BlindReview:
    """Leave a claimed blind review to a lead, without a verdict.

    Raises CaseClosed, ClaimLost, PostChanged or NotAllowed.
    """
    with transaction.atomic():
        case = claims.locked(case_id, moderator=moderator)
        review = _review(case)
        claims.refuse_closed(case)
        claims.refuse_unclaimed(case, moderator=moderator, at=at)
        _close(review, case, moderator=moderator, note=note, at=at)
    return review


def undo(*, review_id: int, moderator: User, at: datetime) -> Case:
    """Take back one's own answer, as long as a decision could be undone; the case is open and claimed again.

    Raises TooLate, PostErased, NotAllowed or BlindReview.DoesNotExist.
    """
    with transaction.atomic():
        row = BlindReview.objects.get(pk=review_id)
        if not transactions.lock_posts(pk=row.post_id):
            raise PostErased(_("The post was erased."))
        review = BlindReview.objects.select_for_update(of=("self",)).select_related("case").get(pk=review_id)
        if review.answered_by != moderator or review.case is None:
            raise NotAllowed(_("You can only undo your own decisions."))
        is_busy = Case.objects.filter(post=review.post_id, state=CaseState.OPEN).exists()
        if is_final(review, at=at) or is_busy:
            raise TooLate(_("The answer is recorded and cannot be undone any more."))
        case = claims.locked(review.case.pk)
        review.verdict, review.reason, review.note = "", "", ""
        review.answered_by = review.answered_at = review.idempotency_key = None
        review.is_disputed = False
        if review.golden_id is not None:
            review.cause = BlindCause.GOLDEN
        review.save()
        case.state, case.closed_at, case.version = CaseState.OPEN, None, case.version + 1
        case.save(update_fields=("state", "closed_at", "version"))
        claims.lease([case], moderator=moderator, at=at)
        _audit("blind_review.undone", case, actor=moderator, at=at)
    return case


def settle(
    *, review_id: int, verdict: Verdict, lead: User, at: datetime, note: str = "", reason: str = ""
) -> BlindReview:
    """Let a disputed decision stand, or correct it with everything that a correction does.

    `note` says why, `reason` is the code of the reason for the new verdict. Raises NotAllowed, Involved,
    NothingToSettle or BlindReview.DoesNotExist.
    """
    if not lead.may_lead:
        raise NotAllowed(_("Only leads settle disagreements."))
    with transaction.atomic():
        row = BlindReview.objects.get(pk=review_id)
        if not transactions.lock_posts(pk=row.post_id):
            note = ""  # nothing is written about an erased post any more
        rows = BlindReview.objects.select_for_update(of=("self",)).select_related("decision")
        review = rows.get(pk=review_id)
        decision = review.decision
        if (
            decision is None
            or not review.is_disputed
            or review.settled_at is not None
            or not is_final(review, at=at)
            or hasattr(decision, "reversal")
        ):
            raise NothingToSettle(_("This disagreement is already settled."))
        if lead.pk in (decision.decided_by_id, review.answered_by_id):
            raise Involved(_("You gave one of the two verdicts: another lead settles this."))
        if verdict != decision.verdict:
            reversals.correct(
                decision_id=decision.pk, verdict=verdict, moderator=lead, at=at, reason=note, code=reason
            )
        review.settled_verdict, review.settled_note = verdict, note
        review.settled_by, review.settled_at = lead, at
        review.save(update_fields=("settled_verdict", "settled_note", "settled_by", "settled_at"))
        _audit_decision("blind_review.settled", decision, actor=lead, at=at, verdict=verdict)
    return review


def is_final(review: BlindReview, *, at: datetime) -> bool:
    """Whether the answer can no longer be undone."""
    return review.final_at is not None and at >= review.final_at


def _review(case: Case) -> BlindReview:
    if case.reason != CaseReason.BLIND:
        # An appeal or an edit has made an ordinary case of it meanwhile.
        raise PostChanged(_("This case has changed: look at it again."))
    rows = BlindReview.objects.select_for_update(of=("self",)).select_related("decision")
    return rows.get(case=case)


@transactions.required
def _close(review: BlindReview, case: Case, *, moderator: User, note: str, at: datetime) -> None:
    review.note, review.answered_by, review.answered_at = note, moderator, at
    review.is_disputed = review.decision is not None and review.verdict != review.decision.verdict
    review.save()
    claims.release(case)
    case.state, case.closed_at = CaseState.DECIDED, at
    case.save(update_fields=("claimed_by", "lease_end_at", "state", "closed_at"))
    # Without the verdict: the entry of a known post must look like that of any other.
    _audit("blind_review.answered", case, actor=moderator, at=at)
