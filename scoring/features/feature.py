"""What a feature is, and the few measures that several families share. No family lives here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from scoring.records import History, PostRecord

UNKNOWN = math.nan
UNBOUNDED = math.inf

# A beta prior worth five decisions, one in ten of them spam: thin evidence stays near 0.1.
_PRIOR_SPAM = 0.5
_PRIOR_NOT_SPAM = 4.5

_SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A named number computed from a record; `minimum` and `maximum` bound it, NaN means unknown."""

    name: str
    unit: str
    minimum: float = 0.0
    maximum: float = UNBOUNDED
    meaning: str
    why: str
    compute: Callable[[PostRecord], float]


def shrunk_spam_share(history: History) -> float:
    """Share of confirmed spam among human decisions, shrunk to 0.1 while there are few; in (0, 1)."""
    decided = history.confirmed_spam + history.confirmed_not_spam
    return (history.confirmed_spam + _PRIOR_SPAM) / (decided + _PRIOR_SPAM + _PRIOR_NOT_SPAM)


def days_between(earlier: datetime | None, later: datetime) -> float:
    """Days from `earlier` to `later`, 0 when the platform's clock ran ahead of ours; NaN if `earlier` is
    unknown.
    """
    if earlier is None:
        return UNKNOWN
    return max(0.0, (later - earlier).total_seconds() / _SECONDS_PER_DAY)


def number_or_unknown(number: float | None) -> float:
    """Return the number as it came, NaN where the platform did not say."""
    return UNKNOWN if number is None else float(number)
