"""A block's counts beside those of the same hours of earlier days, and a day's beside the days before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from moderation.models import DriftBlock
from moderation.queries.quality import drift_evidence
from moderation.queries.quality.drift_evidence import Numbers
from moderation.queries.quality.drift_traits import BUCKETS

BLOCK = timedelta(hours=4)
REFERENCE = timedelta(days=28)
FEWEST_DAYS = 7
"""With fewer days of the same hours nothing is compared."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Authors with each trait in a day, and on the days before; each counts once in every four hours."""

    now: Numbers
    before: Numbers
    authors: float
    authors_before: Numbers


def start_of(moment: datetime) -> datetime:
    """Return the start of the block that a moment is in (UTC)."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return day + (moment - day) // BLOCK * BLOCK


def payoffs(block: DriftBlock, *, restarts: Mapping[int, datetime]) -> npt.NDArray[np.float32] | None:
    """Bet on a block against the same hours of the days before; None if there are too few of either."""
    hours = [block.starts_at - day * _DAY for day in range(1, REFERENCE.days + 1)]
    rows = list(DriftBlock.objects.filter(platform=block.platform_id, starts_at__in=hours, authors__gt=0))
    if len(rows) < FEWEST_DAYS or not block.authors:
        return None
    before, authors_before = _sums(rows, restarts=restarts, fewest=FEWEST_DAYS)
    return drift_evidence.payoffs(
        now=_counts(block), before=before, authors=float(block.authors), authors_before=authors_before
    )


def growth(*, platform_id: int, until: datetime, restarts: Mapping[int, datetime]) -> Growth:
    """Compare the 24 hours before `until` with the days before these."""
    rows = list(
        DriftBlock.objects.filter(
            platform=platform_id, starts_at__gte=until - _DAY - REFERENCE, starts_at__lt=until, authors__gt=0
        )
    )
    last = [row for row in rows if row.starts_at >= until - _DAY]
    before, authors_before = _sums(
        [row for row in rows if row.starts_at < until - _DAY], restarts=restarts, fewest=1
    )
    return Growth(
        now=np.sum([_counts(row) for row in last], axis=0) if last else np.zeros(BUCKETS),
        before=before,
        authors=float(sum(row.authors for row in last)),
        authors_before=authors_before,
    )


def _sums(
    rows: Sequence[DriftBlock], *, restarts: Mapping[int, datetime], fewest: int
) -> tuple[Numbers, Numbers]:
    """Return each bucket's authors, and all authors; one with an alarm counts only from its restart on."""
    counts = np.zeros(BUCKETS)
    for row in rows:
        counts += _counts(row)
    authors = np.full(BUCKETS, float(sum(row.authors for row in rows)))
    for place, since in restarts.items():
        later = [row for row in rows if row.starts_at >= since]
        is_enough = len(later) >= fewest
        counts[place] = sum(_counts(row)[place] for row in later) if is_enough else 0.0
        authors[place] = float(sum(row.authors for row in later)) if is_enough else 0.0
    return counts, authors


def _counts(row: DriftBlock) -> Numbers:
    counts: Numbers = np.frombuffer(row.counts, dtype=np.uint16).astype(np.float64)
    return counts
