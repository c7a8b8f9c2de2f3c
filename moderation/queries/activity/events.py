"""Count what happened in whole hours from the rows themselves, each table by an index of its instants."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncHour

from moderation.models import Case, Decision, DeliveryAttempt, Post
from moderation.models.activity import Measure
from moderation.models.cases import CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.activity.hours import HOUR, hour_of

Counts = Counter[tuple[datetime, Measure, int | None]]
"""Numbers by hour, measure and, of decisions, who made them."""

_MEASURES = {
    (DecisionSource.MODERATOR, Verdict.SPAM): Measure.PEOPLE_SPAM,
    (DecisionSource.MODERATOR, Verdict.NOT_SPAM): Measure.PEOPLE_FINE,
    (DecisionSource.AUTOMATIC, Verdict.SPAM): Measure.FILTER_SPAM,
    (DecisionSource.AUTOMATIC, Verdict.NOT_SPAM): Measure.FILTER_FINE,
}


def first_hour() -> datetime | None:
    """Return the hour of the first post, None if there is none."""
    received_at = Post.objects.order_by("received_at").values_list("received_at", flat=True).first()
    return hour_of(received_at) if received_at else None


def counted(*, start: datetime, end: datetime) -> Counts:
    """Count the hours from `start` to before `end`; each has a number of posts, if only 0."""
    within = {"gte": start, "lt": end}
    counts: Counts = Counter()
    for number in range(round((end - start) / HOUR)):
        counts[start + number * HOUR, Measure.POSTS, None] = 0
    _add(counts, Measure.POSTS, Post.objects.all(), "received_at", within)
    # Two parts, since each has an index of its own. What was opened again is not closed any more.
    still_open = Case.objects.filter(state=CaseState.OPEN)
    _add(counts, Measure.CASES, still_open, "opened_at", within)
    _add(counts, Measure.CASES, Case.objects.filter(closed_at__gte=start), "opened_at", within)
    failed = DeliveryAttempt.objects.exclude(error="")
    _add(counts, Measure.FAILED_CALLS, failed, "at", within)
    _add_decisions(counts, within)
    return counts


def _add(
    counts: Counts, measure: Measure, rows: QuerySet[Any], field: str, within: dict[str, datetime]
) -> None:
    rows = rows.filter(**{f"{field}__{side}": moment for side, moment in within.items()})
    by_hour = rows.annotate(hour=TruncHour(field, tzinfo=UTC)).order_by().values_list("hour")
    for hour, number in by_hour.annotate(number=Count("pk")):
        counts[hour, measure, None] += number


def _add_decisions(counts: Counts, within: dict[str, datetime]) -> None:
    """Leave out what was undone before anybody was told; what was corrected was decided, and again."""
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    rows = Decision.objects.filter(~is_undone, decided_at__gte=within["gte"], decided_at__lt=within["lt"])
    by_hour = rows.annotate(hour=TruncHour("decided_at", tzinfo=UTC)).order_by()
    parts = by_hour.values_list("hour", "source", "verdict", "decided_by")
    for hour, source, verdict, user_id, number in parts.annotate(number=Count("pk")):
        counts[hour, _MEASURES[DecisionSource(source), Verdict(verdict)], user_id] += number
