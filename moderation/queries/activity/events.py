"""Count what happened in whole hours from the rows themselves, each table by an index of its instants."""

from collections import Counter
from datetime import UTC, datetime

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
    counts: Counts = Counter()
    for number in range(round((end - start) / HOUR)):
        counts[start + number * HOUR, Measure.POSTS, None] = 0
    attempts = DeliveryAttempt.objects.exclude(error="")
    for measure, field, rows in (
        (Measure.POSTS, "received_at", Post.objects.filter(within("received_at", start=start, end=end))),
        (Measure.CASES, "opened_at", Case.objects.filter(opened(start=start, end=end))),
        (Measure.FAILED_CALLS, "at", attempts.filter(within("at", start=start, end=end))),
    ):
        by_hour = rows.annotate(hour=TruncHour(field, tzinfo=UTC)).values_list("hour")
        for hour, number in by_hour.annotate(number=Count("pk")):
            counts[hour, measure, None] += number
    made = decided(start=start, end=end).annotate(hour=TruncHour("decided_at", tzinfo=UTC))
    parts = made.values_list("hour", "source", "verdict", "decided_by")
    for hour, source, verdict, user_id, number in parts.annotate(number=Count("pk")):
        counts[hour, _MEASURES[DecisionSource(source), Verdict(verdict)], user_id] += number
    return counts


def within(field: str, *, start: datetime, end: datetime) -> Q:
    """Return the condition that an instant is in a time, without its end."""
    return Q(**{f"{field}__gte": start, f"{field}__lt": end})


def opened(*, start: datetime, end: datetime) -> Q:
    """Return the condition for cases opened in a time."""
    # Two parts, since each has an index of its own. What was opened again is not closed any more.
    return within("opened_at", start=start, end=end) & (Q(state=CaseState.OPEN) | Q(closed_at__gte=start))


def decided(*, start: datetime, end: datetime) -> QuerySet[Decision]:
    """Leave out what was undone before anybody was told; what was corrected was decided, and again."""
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    return Decision.objects.filter(~is_undone, within("decided_at", start=start, end=end))
