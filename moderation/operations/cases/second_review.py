"""Have a decided case reviewed by a second user, who does not see the first decision."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Case, Post, User
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.audit import entries
from moderation.operations.cases import notes, opening, overrule
from moderation.operations.outbox import announce
from moderation.operations.refusals import Erased, NotAllowed, Refusal

_audit = entries.writer("case")


class NotDecided(Refusal):
    """No human decision stands on the post, or it waits for one already."""


def ask(*, case_id: int, asked_by: User, at: datetime, text: str = "") -> Case:
    """Open a case of the same post for somebody else; the first decision stands until then.

    Raises NotDecided, NotAllowed, Erased or Case.DoesNotExist.
    """
    if not asked_by.may_decide:
        raise NotAllowed(_("This role does not decide cases."))
    with transaction.atomic():
        first_case = Case.objects.select_related("post").get(pk=case_id)
        post = Post.objects.select_for_update(no_key=True).get(pk=first_case.post_id)
        if post.erased_at is not None:
            raise Erased("The post was erased.")
        # Who asks by name is not kept waiting by a blind review of the same post.
        blind = Case.objects.filter(post=post, state=CaseState.OPEN, reason=CaseReason.BLIND)
        blind.update(state=CaseState.WITHDRAWN, closed_at=at, claimed_by=None, lease_end_at=None)
        decision = overrule.standing_of_person(post=post)
        if decision is None or Case.objects.filter(post=post, state=CaseState.OPEN).exists():
            raise NotDecided(_("This case has to be decided once first."))
        case = opening.opened(post, reason=CaseReason.SECOND, at=at)
        # The first decider must not get this case: the review needs another person.
        case.skipped_by = [decision.decided_by_id] if decision.decided_by_id else []
        case.save(update_fields=("skipped_by",))
        announce.opened([case], at=at)
        if text:
            notes.write(case=case, author=asked_by, text=text, at=at)
        _audit("case.second_review", case, actor=asked_by, at=at, first=first_case.pk)
    return case
