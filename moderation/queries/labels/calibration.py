"""Measured precision: the share of posts with a similar score that people then judged to be spam."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Exists, OuterRef, Q

from moderation.models import Label, PostLink, Score
from moderation.queries.cases.case_pages import hundredth

FEWEST_LABELS = 200
FEWEST_ALIKE = 20
_LATEST = 5_000
_CACHED_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Judged posts of one platform and language, all with or all without a link, that one release scored from
    `low` to `high` per cent.

    Only posts that came to a human by the uniform part of the audit sample or by the route (those drawn of
    it, where a draw was made), judged individually: posts from complaints, appeals and decided campaigns
    would bias the share upwards, and so would those that the sample drew for their doubtful score.
    """

    low: int
    high: int
    posts: int
    spam: int
    first_at: datetime
    last_at: datetime


def measured(score: Score, *, platform_id: int, has_link: bool, at: datetime) -> Measured | None:
    """Return the outcomes of posts of this kind with a similar score, None while too few of them were judged.

    The answer may be five minutes old.
    """
    bucket = int(at.timestamp() // _CACHED_SECONDS)
    judged = _judged(score.release_id, platform_id, bucket)
    if len(judged) < FEWEST_LABELS:
        return None
    low = min(90, hundredth(score.spam_probability) // 10 * 10)
    high = 100 if low == 90 else low + 9
    kind = (score.revision.language, has_link)
    alike = [
        (is_spam, judged_at)
        for percent, is_spam, judged_at, *own in judged
        if low <= percent <= high and tuple(own) == kind
    ]
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


@lru_cache(maxsize=64)
def _judged(
    release_id: str, platform_id: int, _bucket: int
) -> tuple[tuple[int, bool, datetime, str, bool], ...]:
    """Return (probability in per cent, is spam, when judged, language, has a link) of the latest labels, kept
    for five minutes.
    """
    links = PostLink.objects.filter(revision=OuterRef("decision__revision"))
    labels = Label.objects.filter(
        Q(decision__score__audit_uniform_probability__isnull=False)
        | Q(decision__score__audit_probability__gte=1.0, decision__score__review_probability__isnull=True)
        | Q(decision__score__is_review_sample=True),
        retracted_at__isnull=True,
        post__platform=platform_id,
        decision__score__release=release_id,
        decision__score__is_degraded=False,
        decision__campaign_decision__isnull=True,
    ).order_by("-labelled_at", "-id")
    rows = labels.values_list(
        "decision__score__spam_probability", "is_spam", "labelled_at", "decision__revision__language",
        Exists(links),
    )[:_LATEST]  # fmt: skip
    return tuple((hundredth(probability), *rest) for probability, *rest in rows)
