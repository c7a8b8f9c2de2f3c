"""Decisions for platforms, none before it takes effect. The feed is in feeds.py."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from moderation.models import Complaint, Decision, Platform, Post
from moderation.models.cases import PLATFORM_REASONS, CaseState
from moderation.models.decisions import Verdict
from moderation.models.posts import ScoreState
from moderation.queries import latest_scores
from moderation.queries.decisions import statements

_AT_ONCE = 500


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


def statement(*, platform: Platform, decision_id: int, at: datetime) -> dict[str, Any]:
    """Return the statement of reasons of a decision. Raises Decision.DoesNotExist if it restricts nothing."""
    row = _told(Decision.objects.filter(post__platform=platform), before=at).get(pk=decision_id)
    restricts = statements.restriction(row, getattr(row, "action", None))
    if restricts is None:
        raise Decision.DoesNotExist
    return statements.statements({row: restricts})[row.pk]


def restricting(
    *, since: datetime, until: datetime, platform_id: int | None = None
) -> Iterator[tuple[Decision, dict[str, Any]]]:
    """Yield the decisions that restrict and took effect in a period, oldest first, with their statements."""
    of = {} if platform_id is None else {"post__platform": platform_id}
    period = {"effective_at__gte": since, "effective_at__lt": until}
    found = Decision.objects.filter(**of, **period, verdict=Verdict.SPAM).order_by("effective_at", "id")
    ids = list(found.values_list("pk", flat=True))
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        rows = _told(Decision.objects.filter(pk__in=some), before=until).order_by("effective_at", "id")
        told = {row: statements.restriction(row, getattr(row, "action", None)) for row in rows}
        restrict = {row: restriction for row, restriction in told.items() if restriction is not None}
        texts = statements.statements(restrict)
        yield from ((row, texts[row.pk]) for row in restrict)


def _told(decisions: QuerySet[Decision], *, before: datetime) -> QuerySet[Decision]:
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    return (
        decisions.filter(effective_at__lte=before)
        .exclude(is_undone)
        .select_related("post", "revision", "score", "reversal", "replaces", "action")
        .defer(*latest_scores.explaining("score"))
        .defer("revision__text", "revision__journey", "revision__links", "revision__media_urls")
    )
