"""A person's own pace and agreement. Nobody sees another's: there are no leaderboards."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from statistics import median

from django.db.models import Count, F, Q
from django.db.models.functions import TruncDate

from moderation.models import Decision, User

DAYS = 14
_LONGEST_LOOK = timedelta(minutes=10)
"""Between two decisions further apart the moderator was away: that is no look at a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How many decisions a day saw."""

    day: date
    decisions: int


@dataclass(frozen=True, kw_only=True)
class Pace:
    """The last fortnight. `seconds` is the median look at a case today, None below ten of them.

    `judged` counts decisions old enough that a lead could have looked; `corrected` those that one changed.
    """

    days: tuple[Day, ...]
    today: int
    this_hour: int
    seconds: float | None
    undone: int
    judged: int
    corrected: int

    @property
    def most(self) -> int:
        """The decisions of the fullest day."""
        return max(day.decisions for day in self.days)

    @property
    def agreement(self) -> float | None:
        """Share of decisions that no lead changed, None below twenty."""
        return 1 - self.corrected / self.judged if self.judged >= 20 else None


def own(*, person: User, at: datetime) -> Pace:
    """Read a person's pace in three queries."""
    since = (at - timedelta(days=DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    mine = Decision.objects.filter(decided_by=person, decided_at__gte=since, decided_at__lte=at)
    per_day = Counter(dict(mine.values_list(TruncDate("decided_at")).annotate(all=Count("pk")).order_by()))
    days = [since.date() + timedelta(days=number) for number in range(DAYS)]
    today = list(
        mine.filter(decided_at__gte=at.replace(hour=0, minute=0, second=0, microsecond=0))
        .order_by("decided_at")
        .values_list("decided_at", flat=True)
    )
    by_another = Q(reversal__replacement__isnull=False) & ~Q(reversal__reversed_by=F("decided_by"))
    counts = mine.aggregate(
        undone=Count("pk", filter=Q(reversal__isnull=False, reversal__replacement__isnull=True)),
        judged=Count("pk", filter=Q(effective_at__lte=at)),
        corrected=Count("pk", filter=by_another),
    )
    return Pace(
        days=tuple(Day(day=day, decisions=per_day[day]) for day in days),
        today=len(today),
        this_hour=sum(moment > at - timedelta(hours=1) for moment in today),
        seconds=_look(today),
        undone=counts["undone"],
        judged=counts["judged"],
        corrected=counts["corrected"],
    )


def _look(moments: list[datetime]) -> float | None:
    looks = [later - earlier for earlier, later in pairwise(moments) if later - earlier < _LONGEST_LOOK]
    return median(look.total_seconds() for look in looks) if len(looks) >= 10 else None
