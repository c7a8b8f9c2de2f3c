"""Take decisions back: undo before the platform knows of them, correct afterwards.

Rows are added, never edited.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Case, Decision, Reversal, User
from moderation.models.cases import CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations.audit import entries
from moderation.operations.cases import claims, overrule
from moderation.operations.decisions import actions, recording
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import feed, messages
from moderation.operations.refusals import Erased, NotAllowed, Refusal

_audit = entries.writer("decision")


class TooLate(Refusal):
    """The time for undoing is over and the platform knows: correct the decision instead."""


class AlreadyReversed(Refusal):
    """The decision was taken back before."""


class PostErased(Refusal, Erased):
    """Nothing more is decided or written about the post."""


class SameVerdict(Refusal):
    """A correction must say something else than the decision it corrects."""


def undo(*, decision_id: int, moderator: User, at: datetime) -> Case:
    """Take back a decision before the platform learns of it; the case is open again and claimed.

    Raises TooLate, AlreadyReversed, PostErased or NotAllowed.
    """
    with transaction.atomic():
        if not transactions.lock_posts(decisions=decision_id):
            raise PostErased(_("The post was erased."))
        decision = _locked_decision(decision_id)
        if decision.case is None or decision.decided_by != moderator:
            raise NotAllowed(_("You can only undo your own decisions."))
        # The clock first, which costs nothing; `_is_untold` changes rows, which TooLate rolls back.
        if at >= decision.effective_at or not _is_untold(decision):
            raise TooLate(_("The decision has been sent. Correct it instead."))
        case = claims.locked(decision.case.pk)
        Reversal.objects.create(decision=decision, reversed_by=moderator, reversed_at=at, reason="undone")
        recording.reopen_appeals(decisions=[decision])
        actions.restore(decisions=[decision])
        overrule.taken_back(decision=decision, at=at)
        recording.retract_label(post_id=decision.post_id, at=at)
        case = _reopen(case, moderator=moderator, at=at)
        _audit("decision.undone", decision, actor=moderator, at=at)
    return case


def correct(
    *, decision_id: int, verdict: Verdict, moderator: User, at: datetime, reason: str = "", code: str = ""
) -> Decision:
    """Replace a decision that the platform knows by another, with a compensating delivery.

    `reason` is free text on why it was wrong; `code` is the code of the reason for the new verdict. Raises
    AlreadyReversed, SameVerdict or NotAllowed (own decisions only, unless a lead asks).
    """
    with transaction.atomic():
        if not transactions.lock_posts(decisions=decision_id):
            reason = ""  # the verdict may still be wrong, but nothing is written about the post any more
        decision = _locked_decision(decision_id)
        if not moderator.may_decide or (decision.decided_by != moderator and not moderator.may_lead):
            raise NotAllowed(_("Only a lead can correct other people's decisions."))
        if decision.verdict == verdict:
            raise SameVerdict(_("The decision already says this."))
        replacement = _replacement(decision, moderator=moderator, verdict=verdict, at=at)
        replacement.reason, replacement.note = code, reason
        recording.retract_label(post_id=decision.post_id, at=at)
        # What waits unsent is never sent; an attempt on its way goes first, by the sequence of the post.
        messages.withdraw(decisions=[decision])
        recording.record(
            decisions=[replacement], event="decision.reversed", reverses={decision.post_id: decision.pk}
        )
        Reversal.objects.create(
            decision=decision, replacement=replacement, reversed_by=moderator, reversed_at=at, reason=reason
        )
    return replacement


def _is_untold(decision: Decision) -> bool:
    """Take the decision out of the feed and the outbox; return whether it was in time.

    Checking the clock is not enough: this process may have been stopped since, and the platform notified.
    """
    is_unread = feed.take_away([decision])
    return messages.withdraw(decisions=[decision]) and is_unread


def _locked_decision(decision_id: int) -> Decision:
    rows = Decision.objects.select_for_update(of=("self",)).select_related(
        "case", "decided_by", "score", "revision__grouped", "post__platform"
    )
    decision = rows.get(pk=decision_id)
    if Reversal.objects.filter(decision=decision).exists():
        raise AlreadyReversed(_("This decision was already undone."))
    return decision


def _replacement(wrong: Decision, *, moderator: User, verdict: Verdict, at: datetime) -> Decision:
    """Build the decision that takes the place of a wrong one; it is deliberate and takes effect at once."""
    version = None
    if wrong.case is not None:
        case = claims.locked(wrong.case.pk)
        version = case.version = case.version + 1
        case.save(update_fields=("version",))
    return Decision(
        post=wrong.post,
        revision=wrong.revision,
        case=wrong.case,
        case_version=version,
        score=wrong.score,
        verdict=verdict,
        source=DecisionSource.MODERATOR,
        decided_by=moderator,
        decided_at=at,
        effective_at=at,
    )


def _reopen(case: Case, *, moderator: User, at: datetime) -> Case:
    """Open the case again, unless an edit of the post has opened another one meanwhile."""
    open_case = Case.objects.filter(post_id=case.post_id, state=CaseState.OPEN).first()
    if open_case is not None:
        return open_case
    case.state = CaseState.OPEN
    case.closed_at = None
    case.version += 1
    case.save(update_fields=("state", "closed_at", "version"))
    claims.lease([case], moderator=moderator, at=at)
    return case
