"""Decisions for platforms, none before it takes effect. The feed is in feeds.py."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from moderation.models import Complaint, Decision, Platform, Post, Reason, Revision
from moderation.models.cases import PLATFORM_REASONS, CaseState
from moderation.models.decisions import Verdict
from moderation.models.posts import ScoreState
from moderation.queries import latest_scores


def standing(*, post_id: int, at: datetime) -> Decision | None:
    """Return the decision in force of a post that the platform may know, None before the first."""
    decisions = _told(Decision.objects.filter(post=post_id), before=at)
    # Decisions on a post are serialised by its lock: the last one made is the last in the feed.
    return decisions.order_by("-id").first()


def answering(complaint: Complaint, *, at: datetime) -> Decision | None:
    """Return the decision on a complaint: one made since, or what held before once nothing waits any more."""
    row = standing(post_id=complaint.post_id, at=at) if complaint.post_id else None
    if row is None or row.decided_at >= complaint.received_at:
        return row
    has_case = Q(cases__state=CaseState.OPEN, cases__reason__in=PLATFORM_REASONS)
    is_unscored = Q(revisions__scoring__state__in=(ScoreState.PENDING, ScoreState.SCORING))
    return None if Post.objects.filter(has_case | is_unscored, pk=row.post_id).exists() else row


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """The grounds of a removal: the reason's text, and the complaints before it."""

    reason: str
    complaints: int
    has_media: bool


def removal(*, platform: Platform, decision_id: int, at: datetime) -> Decision:
    """Return a decision that took a post down. Raises Decision.DoesNotExist."""
    spam = Decision.objects.filter(post__platform=platform, verdict=Verdict.SPAM)
    return _told(spam, before=at).get(pk=decision_id)


def grounds(decision: Decision) -> Grounds:
    """Return what a statement of reasons says of a removal: reason, complaints before it, media."""
    title = Reason.objects.filter(code=decision.reason).values_list("title", flat=True).first()
    before = Complaint.objects.filter(post=decision.post_id, received_at__lte=decision.decided_at)
    media = Revision.objects.filter(pk=decision.revision_id).values_list("media_urls", flat=True).first()
    return Grounds(reason=title or "", complaints=before.count(), has_media=bool(media))


def _told(decisions: QuerySet[Decision], *, before: datetime) -> QuerySet[Decision]:
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    return (
        decisions.filter(effective_at__lte=before)
        .exclude(is_undone)
        .select_related("post", "revision", "score", "reversal", "replaces", "action")
        .defer(*latest_scores.explaining("score"))
        .defer("revision__text", "revision__journey", "revision__links", "revision__media_urls")
    )
