"""Appeals as leads read them: what is disputed, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Count, Q

from moderation.models import Appeal
from moderation.queries import keyset
from moderation.queries.keyset import Page


class AppealState(StrEnum):
    """Which appeals to show."""

    WAITING = "waiting"
    SETTLED = "settled"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealCounts:
    """How many appeals wait, and how many were settled by a decision that upheld or overturned."""

    waiting: int
    settled: int


def page(*, state: AppealState, cursor: str = "", limit: int = 50) -> Page[Appeal]:
    """Return appeals, the newest first. Raises InvalidCursor."""
    rows = Appeal.objects.select_related(
        "platform",
        "post__author",
        "decision__decided_by",
        "decision__revision",
        "outcome__decided_by",
        "case",
    )
    if state != AppealState.ALL:
        rows = rows.filter(outcome__isnull=state == AppealState.WAITING)
    return keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=limit)


def counts() -> AppealCounts:
    """Count them in one pass."""
    waiting = Count("pk", filter=Q(outcome__isnull=True))
    return AppealCounts(**Appeal.objects.order_by().aggregate(waiting=waiting, settled=Count("outcome")))
