"""How many posts that were scored alike people then judged to be spam: what a probability came to, here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Q

from moderation.models import Label, Score
from moderation.queries.cases.case_pages import hundredth

FEWEST_LABELS = 200
FEWEST_ALIKE = 20
_LATEST = 5_000
_CACHED_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Posts of one platform that one release scored from `low` to `high` per cent and people then judged.

    Only posts that chance or their score sent to a human, each judged by itself: what complaints, appeals
    and decided campaigns brought would make every score look spammier than it is.
    """

    low: int
    high: int
    posts: int
    spam: int
    first_at: datetime
    last_at: datetime


def measured(score: Score, *, platform_id: int, at: datetime) -> Measured | None:
    """Return what became of posts scored like this one, None while too few of them were judged.

    The answer may be five minutes old.
    """
    bucket = int(at.timestamp() // _CACHED_SECONDS)
    judged = _judged(score.release_id, platform_id, bucket)
    if len(judged) < FEWEST_LABELS:
        return None
    low = min(90, hundredth(score.spam_probability) // 10 * 10)
    high = 100 if low == 90 else low + 9
    alike = [(is_spam, judged_at) for shown, is_spam, judged_at in judged if low <= shown <= high]
    if len(alike) < FEWEST_ALIKE:
        return None
    times = [judged_at for _, judged_at in alike]
    return Measured(
        low=low,
        high=high,
        posts=len(alike),
        spam=sum(is_spam for is_spam, _ in alike),
        first_at=min(times),
        last_at=max(times),
    )


def forget() -> None:
    """Forget what was counted; the next call counts again."""
    _judged.cache_clear()


@lru_cache(maxsize=64)
def _judged(release_id: str, platform_id: int, _bucket: int) -> tuple[tuple[int, bool, datetime], ...]:
    """Return (probability in per cent, is spam, when judged) of the latest labels, kept for five minutes."""
    labels = Label.objects.filter(
        Q(decision__score__is_audit_sample=True) | Q(decision__score__audit_probability__gte=1.0),
        retracted_at__isnull=True,
        post__platform=platform_id,
        decision__score__release=release_id,
        decision__score__is_degraded=False,
        decision__campaign_decision__isnull=True,
    ).order_by("-labelled_at", "-id")
    rows = labels.values_list("decision__score__spam_probability", "is_spam", "labelled_at")[:_LATEST]
    return tuple((hundredth(probability), is_spam, judged_at) for probability, is_spam, judged_at in rows)
