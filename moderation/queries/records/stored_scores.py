"""Stored scores of a platform whose records can be scored again."""

from datetime import datetime
from heapq import nlargest

from django.db.models import QuerySet

from moderation.models import Decision, Platform, Score
from moderation.models.scores import RouteChoice
from moderation.queries.records import stored_records


def of_range(*, platform: Platform, since: datetime, until: datetime, limit: int) -> list[Score]:
    """Return the newest scores of a period.

    Route by route: the index by route and time then finds them without reading what else was scored.
    """
    rows = _replayable(platform).filter(is_degraded=False, scored_at__gte=since, scored_at__lt=until)
    scores = [
        score
        for route in RouteChoice
        for score in rows.filter(route=route).order_by("-scored_at", "-pk")[:limit]
    ]
    return nlargest(limit, scores, key=lambda score: (score.scored_at, score.pk))


def of_decision(*, platform: Platform, decision_id: int) -> list[Score]:
    """Return the score that a decision was made on, if its record is still there. Raises DoesNotExist."""
    decision = Decision.objects.get(pk=decision_id, post__platform=platform)
    return list(_replayable(platform).filter(pk=decision.score_id))


def _replayable(platform: Platform) -> QuerySet[Score]:
    """Return scores that models alone routed: with rules or an audit sample a probability gives no route."""
    return Score.objects.filter(
        revision__post__platform=platform,
        revision__post__erased_at__isnull=True,
        ban__isnull=True,
        rule__isnull=True,
        is_audit_sample=False,
    ).select_related(stored_records.RELATED)
