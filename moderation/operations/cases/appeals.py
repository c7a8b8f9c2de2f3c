"""Dispute a decision: a human looks at the post again, whatever the filter says."""

from datetime import datetime

from django.db import transaction

from moderation.models import Appeal, Case, Decision, Platform, Post
from moderation.models.cases import CaseReason, CaseState
from moderation.models.notifications import NotificationKind
from moderation.operations.audit import entries
from moderation.operations.cases import opening
from moderation.operations.cases.reversals import AlreadyReversed
from moderation.operations.notifications import notify
from moderation.operations.outbox import announce
from moderation.operations.refusals import Erased


def file(*, platform: Platform, external_id: str, at: datetime) -> Case:
    """Return the open case of a post, opened now if there is none; it goes to the leads.

    The decision stands until somebody decides anew. Raises Post.DoesNotExist, Erased or NotScored.
    """
    with transaction.atomic():
        return _case(Post.objects.get(platform=platform, external_id=external_id), at=at)


def dispute(
    *, platform: Platform, decision_id: int, at: datetime, reason: str = "", external_id: str = ""
) -> Appeal:
    """Return the appeal of a decision, filed now if there is none; a second time changes nothing.

    The platform must know the decision. Raises Decision.DoesNotExist, AlreadyReversed, Erased or NotScored.
    """
    with transaction.atomic():
        decisions = Decision.objects.filter(post__platform=platform, effective_at__lte=at)
        decision = decisions.select_related("post").get(pk=decision_id)
        # The lock on the post serialises appeals and decisions on it.
        Post.objects.select_for_update(no_key=True).get(pk=decision.post_id)
        appeal = Appeal.objects.filter(decision=decision).first()
        if appeal is not None:
            return appeal
        if hasattr(decision, "reversal"):
            raise AlreadyReversed("This decision was taken back before.")
        return Appeal.objects.create(
            platform=platform,
            post=decision.post,
            decision=decision,
            case=_case(decision.post, at=at),
            external_id=external_id,
            reason=reason,
            filed_at=at,
        )


def _case(post: Post, *, at: datetime) -> Case:
    post = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
    if post.erased_at is not None:
        raise Erased("The post was erased.")
    case = Case.objects.select_for_update().filter(post=post, state=CaseState.OPEN).first()
    was_appealed = case is not None and case.reason == CaseReason.APPEALED
    if case is None:
        case = opening.opened(post, reason=CaseReason.APPEALED, at=at, is_escalated=True)
        announce.opened([case], at=at)
    elif not was_appealed:
        if case.reason == CaseReason.BLIND:
            case.skipped_by = []  # who may not judge it blindly may well judge the appeal
        case.reason, case.is_escalated = CaseReason.APPEALED, True
        case.save(update_fields=("reason", "is_escalated", "skipped_by"))
    if not was_appealed:
        notify.write(kind=NotificationKind.APPEAL, subject=case.pk, at=at)
    entries.add(action="case.appealed", subject_kind="case", subject_id=case.pk, actor=None, at=at)
    return case
