"""Have decided posts reviewed by a second user, who does not see the first decision."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Case, Post, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.audit import entries
from moderation.operations.cases import notes, opening, overrule
from moderation.operations.outbox import announce
from moderation.operations.refusals import Erased, NotAllowed, OutOfRange, Refusal

_audit = entries.writer("case")
MOST = 50
"""Posts at once: a page of a list."""


class NotDecided(Refusal):
    """No human decision stands on the post."""


class AlreadyWaiting(NotDecided):
    """The post waits for a decision already."""


def ask(*, case_id: int, asked_by: User, at: datetime, text: str = "") -> Case:
    """Open a case of the same post for somebody else; the first decision stands until then.

    Raises NotDecided, NotAllowed, Erased or Case.DoesNotExist.
    """
    if not asked_by.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    with transaction.atomic():
        first_case = Case.objects.get(pk=case_id)
        case = _opened(first_case.post_id, asked_by=asked_by, first=first_case.pk, at=at)
        if text:
            notes.write(case=case, author=asked_by, text=text, at=at)
    return case


def ask_many(*, post_ids: Collection[int], asked_by: User, at: datetime) -> Counter[type]:
    """Request a second review of every post that can have one, and count the outcomes.

    These are Case for a post that is judged again, else the refusal: AlreadyWaiting, NotDecided or Erased.
    Nothing is decided: each decision stands until somebody else has judged. For those who look for wrong
    labels. Raises NotAllowed or OutOfRange.
    """
    if not asked_by.may_export:
        raise NotAllowed(_("Only leads and ML engineers have many posts judged again."))
    if not 0 < len(post_ids) <= MOST:
        raise OutOfRange(_("Select 1 to %(most)d posts.") % {"most": MOST})
    outcomes: Counter[type] = Counter()
    for post_id in sorted(post_ids):
        # A transaction for each: what cannot be asked about one leaves the others.
        try:
            with transaction.atomic():
                outcomes[type(_opened(post_id, asked_by=asked_by, first=None, at=at))] += 1
        except (Refusal, Erased) as refusal:
            outcomes[type(refusal)] += 1
    return outcomes


def _opened(post_id: int, *, asked_by: User, first: int | None, at: datetime) -> Case:
    """Open the case. `first` is the decided one that was asked about, the standing decision's if None."""
    post = Post.objects.select_for_update(no_key=True).filter(pk=post_id).first()
    if post is None or post.erased_at is not None:
        raise Erased("The post was erased.")
    # Who asks by name is not kept waiting by a blind review of the same post.
    blind = Case.objects.filter(post=post, state=CaseState.OPEN, reason=CaseReason.BLIND)
    blind.update(state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None)
    decision = overrule.standing_of_person(post=post)
    if decision is None:
        raise NotDecided(_("This case has to be decided once first."))
    if Case.objects.filter(post=post, state=CaseState.OPEN).exists():
        raise AlreadyWaiting(_("This post waits for a decision already."))
    case = opening.opened(post, reason=CaseReason.SECOND, at=at)
    # The first decider must not get this case: the review needs another person.
    case.skipped_by = [decision.decided_by_id] if decision.decided_by_id else []
    case.save(update_fields=("skipped_by",))
    announce.opened([case], at=at)
    _audit("case.second_review", case, actor=asked_by, at=at, first=first or decision.case_id)
    return case
