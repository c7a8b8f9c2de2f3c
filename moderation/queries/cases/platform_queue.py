"""A platform's queue, the people who decided its posts, never sorted by number, and what a period saw."""

from datetime import datetime
from typing import Any

from django.db.models import Aggregate, Count, F, FloatField, Max, Min, Q
from django.db.models.functions import Extract

from moderation.models import Case, Decision, Platform, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.queries.activity import events
from moderation.queries.activity.hours import DAY, Period
from moderation.queries.cases import platform_cases


def queue(*, platform: Platform, at: datetime) -> dict[str, Any]:
    """Count the platform's cases that wait, and those opened and closed in the last day; no blind reviews."""
    own = Case.objects.filter(platform_cases.of_platform(platform))
    waiting, day = own.filter(state=CaseState.OPEN), {"start": at - DAY, "end": at}
    return {
        "at": at,
        "reasons": waiting.values("reason").annotate(cases=Count("pk")).order_by("reason"),
        "opened_24h": own.filter(events.opened(**day)).count(),
        "closed_24h": own.filter(events.within("closed_at", **day)).count(),
        **waiting.aggregate(
            waiting=Count("pk"),
            escalated=Count("pk", filter=Q(is_escalated=True)),
            claimed=Count("pk", filter=Q(lease_end_at__gt=at)),
            oldest_at=Min("opened_at"),
        ),
    }


def reviewers(
    *, platform: Platform, since: datetime, until: datetime, only: User | None = None
) -> list[dict[str, Any]]:
    """Return who decided posts of the platform in a period, in the order of their names, in two queries."""
    whose = Q(decided_by=only) if only else Q(decided_by__isnull=False)
    own = Decision.objects.filter(whose, post__platform=platform)
    made = own.filter(events.within("decided_at", start=since, end=until))
    counted = made.values("decided_by").annotate(
        decisions=Count("pk"),
        **{said: Count("pk", filter=Q(verdict=said)) for said in Verdict.values},
        reversed=Count("reversal"),
        last_at=Max("decided_at"),
    )
    users = User.objects.in_bulk([row["decided_by"] for row in counted])
    people = [{**row, "user": users[row["decided_by"]]} for row in counted]
    return sorted(people, key=lambda row: (str(row["user"]).casefold(), row["user"].pk))


def activity(*, platform: Platform, period: Period) -> dict[str, Any]:
    """Count what a platform sent in a period and what became of it, in seven queries."""
    span = {"start": period.start, "end": period.end}
    opened, closed = events.opened(**span), events.within("closed_at", **span)
    cases = Case.objects.filter(platform_cases.of_platform(platform), opened | closed)
    figures = {
        "opened": Count("pk", filter=opened),
        "closed": Count("pk", filter=closed),
        **_times("opened_at", "closed_at", of=closed),
    }
    kinds = events.decided(**span).filter(post__platform=platform).values("source", "verdict", "reason")
    is_upheld = Q(outcome__verdict=F("decision__verdict"))
    return {
        "since": period.start,
        "until": period.end,
        "posts": platform.posts.filter(events.within("received_at", **span)).count(),
        "complaints": platform.complaints.filter(events.within("received_at", **span)).count(),
        "cases": [
            {"reason": None, **cases.aggregate(**figures)},
            *cases.values("reason").annotate(**figures).order_by("reason"),
        ],
        "verdicts": kinds.annotate(
            decisions=Count("pk"),
            reversed=Count("reversal"),
            **_times("case__opened_at", "case__closed_at", of=Q(case__closed_at=F("decided_at"))),
        ).order_by("source", "verdict", "reason"),
        "appeals": platform.appeals.filter(events.within("filed_at", **span)).count(),
        **platform.appeals.filter(events.within("outcome__decided_at", **span)).aggregate(
            upheld=Count("pk", filter=is_upheld), overturned=Count("pk", filter=~is_upheld)
        ),
    }


class _Percentile(Aggregate):
    function, output_field = "PERCENTILE_CONT", FloatField()
    template = "%(function)s(%(at)s) WITHIN GROUP (ORDER BY %(expressions)s)"


def _times(start: str, end: str, *, of: Q) -> dict[str, Aggregate]:
    seconds = Extract(F(end) - F(start), "epoch")
    median, ninetieth = (_Percentile(seconds, at=share, filter=of) for share in (0.5, 0.9))
    return {"median_seconds": median, "p90_seconds": ninetieth}
