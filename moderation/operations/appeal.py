"""Dispute a decision: a human looks at the post again, whatever the filter says."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from moderation.models import Case, Platform, Post, Revision, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.operations import verdict
from moderation.operations.erase import Erased


class NotScored(Exception):
    """The post has no score yet, so there is nothing to dispute."""


def file(*, platform: Platform, external_id: str, at: datetime) -> Case:
    """Return the open case of a post, opened now if there is none; it goes to the leads.

    The decision stands until somebody decides anew. Raises Post.DoesNotExist, Erased or NotScored.
    """
    with transaction.atomic():
        post = Post.objects.select_for_update(no_key=True).get(platform=platform, external_id=external_id)
        if post.erased_at is not None:
            raise Erased("The post was erased.")
        case = Case.objects.select_for_update().filter(post=post, state=CaseState.OPEN).first()
        if case is None:
            case = _opened(post, at=at)
        elif case.reason != CaseReason.APPEALED:
            case.reason, case.is_escalated = CaseReason.APPEALED, True
            case.save(update_fields=("reason", "is_escalated"))
        verdict.audit(action="case.appealed", subject_kind="case", subject_id=case.pk, actor=None, at=at)
    return case


def _opened(post: Post, *, at: datetime) -> Case:
    latest = Revision.objects.get(post=post, number=post.latest_revision)
    score = Score.objects.filter(revision=latest).order_by("-generation").first()
    if score is None:
        raise NotScored("The post has no score yet.")
    return Case.objects.create(
        post=post,
        score=score,
        reason=CaseReason.APPEALED,
        # Escalated, so that a new score does not take it away, and so that a lead sees it.
        is_escalated=True,
        priority=score.expected_harm,
        uncertainty=1 - abs(2 * score.spam_probability - 1),
        complaint_count=post.complaints.count(),
        language=latest.language,
        version=1 + Case.objects.filter(post=post).count(),
        opened_at=at,
    )
