"""Dispute a decision: a human looks at the post again, whatever the filter says."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from moderation.models import Appeal, Case, Decision, Platform, Post, Revision, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.operations import announce, verdict
from moderation.operations.erase import Erased
from moderation.operations.reverse import AlreadyReversed


class NotScored(Exception):
    """The post has no score yet, so there is nothing to dispute."""


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
        known = Decision.objects.filter(post__platform=platform, effective_at__lte=at)
        decision = known.select_related("post").get(pk=decision_id)
        # The lock on the post lines up everybody who disputes it or decides it.
        Post.objects.select_for_update(no_key=True).get(pk=decision.post_id)
        filed = Appeal.objects.filter(decision=decision).first()
        if filed is not None:
            return filed
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


def opened(post: Post, *, reason: CaseReason, at: datetime) -> Case:
    """Open a case of a post that a human is to look at again. Call with the post locked. Raises NotScored."""
    latest = Revision.objects.get(post=post, number=post.latest_revision)
    score = Score.objects.select_related("revision").filter(revision=latest).order_by("-generation").first()
    if score is None:
        raise NotScored("The post has no score yet.")
    return Case.objects.create(
        post=post,
        score=score,
        reason=reason,
        # Escalated, so that a new score does not take it away, and so that a lead sees it.
        is_escalated=reason == CaseReason.APPEALED,
        priority=score.expected_harm,
        uncertainty=1 - abs(2 * score.spam_probability - 1),
        complaint_count=post.complaints.count(),
        language=latest.language,
        version=1 + Case.objects.filter(post=post).count(),
        opened_at=at,
    )


def _case(post: Post, *, at: datetime) -> Case:
    post = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
    if post.erased_at is not None:
        raise Erased("The post was erased.")
    case = Case.objects.select_for_update().filter(post=post, state=CaseState.OPEN).first()
    if case is None:
        case = opened(post, reason=CaseReason.APPEALED, at=at)
        announce.opened([case], at=at)
    elif case.reason != CaseReason.APPEALED:
        case.reason, case.is_escalated = CaseReason.APPEALED, True
        case.save(update_fields=("reason", "is_escalated"))
    verdict.audit(action="case.appealed", subject_kind="case", subject_id=case.pk, actor=None, at=at)
    return case
