"""Take a whole campaign decision back: undo in time, correct afterwards. Rows are added, never edited."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from moderation import enqueue
from moderation.models import AuditEntry, CampaignDecision, Case, Decision, Label, Reversal, User
from moderation.models.campaigns import CampaignDecisionState
from moderation.models.cases import CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations.audit import entries
from moderation.operations.campaigns import apply
from moderation.operations.campaigns.campaign_decisions import AT_ONCE, StillRunning
from moderation.operations.cases.reversals import AlreadyReversed, TooLate
from moderation.operations.decisions import actions, recording
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import announce, feed, messages
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.queries import latest_scores

_audit = entries.writer("campaign", subject_id="campaign_id", decision="pk")
_HEAVY = (
    *latest_scores.explaining("score"),
    "revision__text",
    "revision__journey",
)


class TooEarly(Refusal):
    """The platform has not been told yet: undo it instead."""


def undo(*, campaign_decision_id: int, moderator: User, at: datetime) -> CampaignDecision:
    """Take back a decision on a campaign before the platform learns of it: every case is open again.

    Raises TooLate, AlreadyReversed, NotAllowed or CampaignDecision.DoesNotExist.
    """
    with transaction.atomic():
        decision = locked(campaign_decision_id)
        if decision.decided_by != moderator:
            raise NotAllowed(_("You can only undo your own decisions."))
        if decision.state == CampaignDecisionState.UNDONE:
            raise AlreadyReversed(_("This decision was already undone."))
        if at >= decision.effective_at:
            raise TooLate(_("The decision is being sent. Correct it instead."))
        posts = _take_back(decision, moderator=moderator, at=at)
        decision.state = CampaignDecisionState.UNDONE
        decision.save(update_fields=("state",))
        _audit("campaign.undone", decision, actor=moderator, at=at, posts=posts)
    return decision


def correct(*, campaign_decision_id: int, moderator: User, reason: str, at: datetime) -> CampaignDecision:
    """Replace every decision that was made of a campaign, the automatic ones on posts that joined later
    too, by the opposite; each is compensated with one delivery and its label retracted.

    Raises TooEarly, StillRunning, AlreadyReversed, NotAllowed (own decisions only, unless a lead asks).
    """
    with transaction.atomic():
        decision = locked(campaign_decision_id)
        _refuse(decision, moderator=moderator, at=at)
        decisions = Decision.objects.filter(campaign_decision=decision, reversal__isnull=True).order_by("id")
        ids = list(decisions.values_list("pk", flat=True))
        correction = _correction(decision, posts=len(ids), moderator=moderator, reason=reason, at=at)
        if correction.state == CampaignDecisionState.DONE:
            compensate(correction=correction, decision_ids=ids, at=at)
            announce.campaign_decided(correction)
        else:
            enqueue.campaign(campaign_decision_id=correction.pk)
        # Without the note, which is in the correction: the audit log can never be erased.
        _audit("campaign.corrected", decision, actor=moderator, at=at, posts=len(ids))
    return correction


@transactions.required
def compensate(*, correction: CampaignDecision, decision_ids: Sequence[int], at: datetime) -> None:
    """Replace decisions by those of a correction. Call inside a transaction.

    A decision that was corrected individually meanwhile is left alone.
    """
    decisions = _locked_decisions(decision_ids)
    rows = [_replacement(correction, decision, at=at) for decision in decisions]
    Case.objects.filter(pk__in=[decision.case_id for decision in decisions]).update(version=F("version") + 1)
    Label.objects.filter(
        post__in=[decision.post_id for decision in decisions], retracted_at__isnull=True
    ).update(retracted_at=at)
    messages.withdraw(decisions=decisions)
    replacements = recording.record(
        decisions=rows,
        event="decision.reversed",
        reverses={decision.post_id: decision.pk for decision in decisions},
    )
    Reversal.objects.bulk_create(
        [
            Reversal(
                decision=decision,
                replacement=replacement,
                reversed_by=correction.decided_by,
                reversed_at=at,
                reason=correction.note,
            )
            for decision, replacement in zip(decisions, replacements, strict=True)
        ]
    )
    CampaignDecision.objects.filter(pk=correction.pk).update(settled=F("settled") + len(decisions))


def locked(campaign_decision_id: int) -> CampaignDecision:
    """Lock a decision on a campaign. Raises CampaignDecision.DoesNotExist."""
    rows = CampaignDecision.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("decided_by").get(pk=campaign_decision_id)


def _refuse(wrong: CampaignDecision, *, moderator: User, at: datetime) -> None:
    if not moderator.may_decide or (wrong.decided_by != moderator and not moderator.may_lead):
        raise NotAllowed(_("Only a lead can correct other people's decisions."))
    if wrong.state == CampaignDecisionState.UNDONE or hasattr(wrong, "correction"):
        raise AlreadyReversed(_("This decision was already undone."))
    if wrong.state != CampaignDecisionState.DONE and at >= wrong.effective_at:
        raise StillRunning(_("It is still being applied; you can correct it afterwards."))
    if at < wrong.effective_at:
        raise TooEarly(_("Not sent to the platform yet: undo it instead."))


def _take_back(decision: CampaignDecision, *, moderator: User, at: datetime) -> int:
    """Reverse the decisions made so far; of a large campaign there are none within the time for undoing.

    Raises TooLate.
    """
    decisions = Decision.objects.filter(campaign_decision=decision, reversal__isnull=True)
    rows = _locked_decisions(list(decisions.values_list("pk", flat=True)))
    # Checking the clock is not enough: this process may have been stopped since, and the platform notified.
    is_unread = feed.take_away(rows)
    if not (messages.withdraw(decisions=rows) and is_unread):
        raise TooLate(_("The decision is being sent. Correct it instead."))
    Reversal.objects.bulk_create(
        [Reversal(decision=row, reversed_by=moderator, reversed_at=at, reason="undone") for row in rows]
    )
    recording.reopen_appeals(decisions=rows)
    actions.restore(decisions=rows)
    Label.objects.filter(decision__in=rows, retracted_at__isnull=True).update(retracted_at=at)
    # A post that was edited meanwhile has another case open; its old one stays closed.
    posts = [row.post_id for row in rows]
    edited_ids = Case.objects.filter(post__in=posts, state=CaseState.OPEN).values_list("post_id", flat=True)
    Case.objects.filter(pk__in=[row.case_id for row in rows]).exclude(post__in=list(edited_ids)).update(
        state=CaseState.OPEN, closed_at=None, version=F("version") + 1
    )
    AuditEntry.objects.bulk_create(
        [
            entries.entry(
                action="decision.undone",
                subject_kind="decision",
                subject_id=row.pk,
                actor=moderator,
                at=at,
                campaign=decision.campaign_id,
            )
            for row in rows
        ]
    )
    return len(rows)


def _locked_decisions(decision_ids: Sequence[int]) -> list[Decision]:
    """Lock the posts, then the decisions (lock order); drop those reversed before the lock was taken."""
    posts = Decision.objects.filter(pk__in=decision_ids).values_list("post_id", flat=True)
    locked_posts = apply.lock_posts(list(posts))
    rows = Decision.objects.select_for_update(of=("self",)).filter(pk__in=decision_ids)
    rows = rows.select_related("case", "revision__grouped", "score").defer(*_HEAVY).order_by("id")
    decisions = list(rows)
    reversed_ids = set(Reversal.objects.filter(decision__in=decisions).values_list("decision_id", flat=True))
    for decision in decisions:
        decision.post = locked_posts[decision.post_id]
    return [decision for decision in decisions if decision.pk not in reversed_ids]


def _correction(
    wrong: CampaignDecision, *, posts: int, moderator: User, reason: str, at: datetime
) -> CampaignDecision:
    is_spam = wrong.verdict == Verdict.SPAM
    return CampaignDecision.objects.create(
        campaign_id=wrong.campaign_id,
        verdict=Verdict.NOT_SPAM if is_spam else Verdict.SPAM,
        note=reason,
        decided_by=moderator,
        decided_at=at,
        effective_at=at,
        posts=posts,
        state=CampaignDecisionState.DONE if posts <= AT_ONCE else CampaignDecisionState.RUNNING,
        corrects=wrong,
    )


def _replacement(correction: CampaignDecision, wrong: Decision, *, at: datetime) -> Decision:
    return Decision(
        post=wrong.post,
        revision=wrong.revision,
        case=wrong.case,
        case_version=wrong.case.version + 1 if wrong.case else None,
        score=wrong.score,
        verdict=correction.verdict,
        source=DecisionSource.MODERATOR,
        note=correction.note,
        decided_by=correction.decided_by,
        decided_at=at,
        effective_at=at,
        campaign_decision=correction,
    )
