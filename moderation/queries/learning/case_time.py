"""How long a case takes people, from the desk's own decisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from statistics import median

from moderation.models import Decision
from moderation.queries.cases import pace

PERIOD = timedelta(days=14)
_FEWEST = 20
_MOST = 20_000


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
        decided_at__gt=at - PERIOD,
        decided_at__lte=at,
    )
    latest = made.order_by("-decided_at", "-id").values_list("decided_by_id", "decided_at")[:_MOST]
    by_person = groupby(sorted(latest), key=itemgetter(0))
    looks = [look for _, rows in by_person for look in pace.looks([moment for _, moment in rows])]
    return CaseTime(seconds=median(looks) if len(looks) >= _FEWEST else None, decisions=len(looks))
