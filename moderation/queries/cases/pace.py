"""A user's own pace and agreement, and how long a case takes people.

Users never see another's: there are no leaderboards.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median

from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf, TruncDate
from django.utils import timezone

from moderation.models import Decision, User
from moderation.queries import outcome_counts

DAYS = 14
_FEWEST_JUDGED, _FEWEST_LOOKS = 20, 10
_FEWEST_OF_ALL, _MOST_OF_ALL = 20, 20_000
_LONGEST_LOOK = timedelta(minutes=10)
"""A longer pause between two decisions counts as absence, not as time on a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """Number of decisions on a day."""

    day: date
    decisions: int


@dataclass(frozen=True, kw_only=True)
class Pace:
    """The last fortnight. `seconds` is the median time per case today, None below ten cases.

    `judged` counts decisions on which somebody else decided later (a second look, an appeal, a correction, an
    escalation) or that somebody judged blindly; `agreed` those that they decided alike. For other decisions
    agreement is unknown.
    """

    days: tuple[Day, ...]
    today: int
    this_hour: int
    seconds: float | None
    undone: int
    judged: int
    agreed: int

    @property
    def most(self) -> int:
        """The number of decisions on the busiest day."""
        return max(day.decisions for day in self.days)

    @property
    def agreement(self) -> float | None:
        """Share of agreement in [0, 1] among `judged`, None below twenty."""
        return self.agreed / self.judged if self.judged >= _FEWEST_JUDGED else None

    @property
    def agreement_interval(self) -> tuple[float, float]:
        return outcome_counts.interval(self.agreed, of=self.judged)


def own_pace(*, user: User, at: datetime) -> Pace:
    """Read a user's pace in three queries; days are those of the current time zone."""
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=DAYS - 1)
    mine = Decision.objects.filter(decided_by=user, decided_at__gte=since, decided_at__lte=at)
    per_day = Counter(dict(mine.values_list(TruncDate("decided_at")).annotate(all=Count("pk")).order_by()))
    days = [since.date() + timedelta(days=number) for number in range(DAYS)]
    today = list(
        mine.filter(decided_at__gte=midnight).order_by("decided_at").values_list("decided_at", flat=True)
    )
    seen = looks(today)
    is_undone = Q(reversal__isnull=False, reversal__replacement__isnull=True)
    counts = mine.annotate(
        said=Coalesce(_said_by_others(user), NullIf("blind_review__verdict", Value("")))
    ).aggregate(
        undone=Count("pk", filter=is_undone),
        judged=Count("pk", filter=Q(said__isnull=False) & ~is_undone),
        agreed=Count("pk", filter=Q(said=F("verdict")) & ~is_undone),
    )
    return Pace(
        days=tuple(Day(day=day, decisions=per_day[day]) for day in days),
        today=len(today),
        this_hour=sum(moment > at - timedelta(hours=1) for moment in today),
        seconds=median(seen) if len(seen) >= _FEWEST_LOOKS else None,
        **counts,
    )


def _said_by_others(user: User) -> Subquery:
    """Return the next human decision on the same revision, made individually and not reversed."""
    later = Decision.objects.filter(
        Q(reversal__isnull=True) | Q(reversal__replacement__isnull=False),
        post=OuterRef("post"),  # its index finds them
        revision=OuterRef("revision"),
        decided_at__gt=OuterRef("decided_at"),
        decided_by__isnull=False,
        campaign_decision__isnull=True,
    ).exclude(decided_by=user)
    return Subquery(later.order_by("decided_at", "id").values("verdict")[:1])


def looks(moments: Sequence[datetime]) -> list[float]:
    """Return the seconds that one person took for each case, from the times of their decisions in order."""
    # Cases that were decided at once from a list, or with their campaign, have one instant: no looks.
    at_once = Counter(moments)
    return [
        (later - earlier).total_seconds()
        for earlier, later in pairwise(moments)
        if later - earlier < _LONGEST_LOOK and at_once[later] == 1
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTime:
    """The median time between two decisions of one person; `seconds` is None below twenty of them."""

    seconds: float | None
    decisions: int


def case_time(*, at: datetime) -> CaseTime:
    """Read the latest decisions that people made one at a time, in one query."""
    made = Decision.objects.filter(
        decided_by__isnull=False,
        campaign_decision__isnull=True,
        decided_at__gt=at - timedelta(days=DAYS),
        decided_at__lte=at,
    )
    latest = made.order_by("-decided_at", "-id").values_list("decided_by_id", "decided_at")[:_MOST_OF_ALL]
    by_person = groupby(sorted(latest), key=itemgetter(0))
    seen = [look for _, rows in by_person for look in looks([moment for _, moment in rows])]
    return CaseTime(seconds=median(seen) if len(seen) >= _FEWEST_OF_ALL else None, decisions=len(seen))
