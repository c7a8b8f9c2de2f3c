"""How long a case takes people, from the desk's own decisions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from moderation.models import Decision

PERIOD = timedelta(days=14)
LONGEST = timedelta(minutes=10)
"""A longer pause between two decisions counts as absence, not as time on a case."""

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
    by_person = sorted(latest)
    # Cases that were decided at once from a list have one instant: nobody looked at each of them.
    at_once = Counter(by_person)
    looks = [
        (later - earlier).total_seconds()
        for (person, earlier), (same, later) in pairwise(by_person)
        if person == same and later - earlier < LONGEST and at_once[same, later] == 1
    ]
    return CaseTime(seconds=median(looks) if len(looks) >= _FEWEST else None, decisions=len(looks))
