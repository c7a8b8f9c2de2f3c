"""Settle blind reviews that contradict the decision: a lead who sees both verdicts has the last word."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import BlindReview, User
from moderation.models.decisions import Verdict
from moderation.operations.audit import entries
from moderation.operations.cases import blind_answers, reversals
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import NotAllowed, Refusal


class NothingToSettle(Refusal):
    """Nobody disagrees, the answer may still be undone, or somebody settled or corrected it before."""


class Involved(Refusal):
    """Both verdicts are judged by a third person."""


def settle(
    *, review_id: int, verdict: Verdict, lead: User, at: datetime, note: str = "", reason: str = ""
) -> BlindReview:
    """Let the decision stand, or correct it with everything that a correction does.

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
            or not blind_answers.is_final(review, at=at)
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
        entries.add(
            action="blind_review.settled",
            subject_kind="decision",
            subject_id=decision.pk,
            actor=lead,
            at=at,
            verdict=verdict,
        )
    return review
