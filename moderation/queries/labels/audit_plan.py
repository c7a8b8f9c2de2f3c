"""The share of automatic verdicts that people check: large while there are few random labels.

The share falls with the number of random labels, not with time. A stratum is one of: the band of the content
probability, the language, and whether similar posts were seen before. Within a stratum doubtful
scores are drawn more often: `audit_chance`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.db import connection

from moderation.models import Platform, Post, Score, desk_settings
from moderation.queries.labels import audit_chance
from moderation.queries.labels.audit_chance import Chance
from scoring.records import PostRecord

SETTLED_LABELS = 50
"""Up to this many random labels in its stratum a post is drawn with the first share."""

LABELS_COUNT = timedelta(days=90)
"""Older random labels say little of today's posts."""

_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_OF_BOUND = 0.8
"""The probability aims below the limit, so that random variation rarely reaches it."""

_BEYOND = 0.5
"""Expected draws per day beyond the limit: a probability of 0 would make weights infinite."""

_FEWEST_POSTS = 1_000
"""Posts that may arrive before the counts are read again."""

_SCORES, _FEWEST_SCORES = 2_000, 100
"""The latest scores of a platform that say how doubtful its posts are on average, and how many it takes."""

_BANDS = ((0.05, "low"), (0.5, "middle"))

_RANDOM_LABELS = """
SELECT s.content_probability, r.language,
  coalesce((s.record #>> '{{similar,posts}}')::float8, 0) > 0, count(*)
FROM moderation_score s
JOIN moderation_revision r ON r.id = s.revision_id
JOIN moderation_post p ON p.id = r.post_id
JOIN moderation_decision d ON d.score_id = s.id
JOIN moderation_label l ON l.decision_id = d.id AND l.retracted_at IS NULL
LEFT JOIN moderation_case c ON c.id = d.case_id
WHERE p.platform_id = %(platform)s AND {drawn} AND l.labelled_at > %(since)s
GROUP BY 1, 2, 3
"""
_DRAWN = ("s.is_audit_sample AND s.scored_at > %(since)s", "c.draw_id IS NOT NULL AND NOT s.is_audit_sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The audit plan of a platform. `labels` counts random labels by stratum, and in total under None.

    `mean_doubt` is that of the platform's latest automatic verdicts, None while too few are known.
    """

    first: float
    floor: float
    bound: int
    posts_per_day: int
    labels: Mapping[str | None, int]
    mean_doubt: float | None = None

    def share(self, labels: int) -> float:
        """Return the share for a number of random labels: the first, then falling as 1/n to the release's."""
        highest = max(self.first, self.floor)
        return max(self.floor, highest * min(1.0, SETTLED_LABELS / max(labels, 1)))

    def chance(
        self,
        record: PostRecord,
        *,
        content_probability: float | None,
        spam_probability: float,
        drawn_today: int,
    ) -> Chance:
        """Return the probability that a post is drawn: by its rarest stratum, and its score."""
        share = self._share_of(record, content_probability=content_probability, drawn_today=drawn_today)
        return audit_chance.of(share=share, spam_probability=spam_probability, mean_doubt=self.mean_doubt)

    def _share_of(self, record: PostRecord, *, content_probability: float | None, drawn_today: int) -> float:
        """Return the share of posts like this one that is drawn, in (0, 1]."""
        fewest = min(self.labels.get(stratum, 0) for stratum in strata(record, content_probability))
        share = self.share(fewest)
        beyond = _BEYOND / max(self.posts_per_day, _FEWEST_POSTS)
        if drawn_today >= self.bound:
            return min(share, beyond)
        return min(share, max(_OF_BOUND * self.bound / max(self.posts_per_day, 1), beyond))


def strata(record: PostRecord, content_probability: float | None) -> tuple[str, str, str]:
    """Return a post's strata: band of the content probability, language, whether similar posts were seen."""
    return _strata(content_probability, record.language, has_like=record.similar.posts > 0)


def of(*, platform: Platform, floor: float, at: datetime) -> Plan:
    """Return a platform's plan; its counts are at most a minute old."""
    first = platform.audit_first_share
    if first is None:
        first = desk_settings.current().audit_first_percent / 100
    posts_per_day, labels = _counted(platform.pk, int(at.timestamp() // 60))
    return Plan(
        first=first,
        floor=floor,
        bound=platform.audit_cases_per_day,
        posts_per_day=posts_per_day,
        labels=labels,
        mean_doubt=_mean_doubt(platform.pk, int(at.timestamp() // 60)),
    )


def drawn_today(*, platform_id: int, at: datetime) -> int:
    """Return how many posts of a platform were sampled within the last day."""
    return Score.objects.filter(
        is_audit_sample=True,
        scored_at__gt=at - _DAY,
        scored_at__lte=at,
        revision__post__platform=platform_id,
    ).count()


@lru_cache(maxsize=256)
def _counted(platform_id: int, minute: int) -> tuple[int, Mapping[str | None, int]]:
    """Return the posts per day, by the last day or a busier last hour, and the random labels."""
    # The minute is the cache's key, which is how an entry expires; its end, so that its own posts count.
    at = datetime.fromtimestamp(minute * 60 + 60, tz=UTC)
    posts = Post.objects.filter(platform=platform_id, erased_at__isnull=True)
    day = posts.filter(received_at__gt=at - _DAY).count()
    hour = posts.filter(received_at__gt=at - _HOUR).count()
    return max(day, 24 * hour), _random_labels(platform_id, since=at - LABELS_COUNT)


@lru_cache(maxsize=256)
def _mean_doubt(platform_id: int, minute: int) -> float | None:
    """Return the mean doubt of the verdicts that the sample could draw, of the last day's latest posts."""
    at = datetime.fromtimestamp(minute * 60 + 60, tz=UTC)
    posts = Post.objects.filter(platform=platform_id, erased_at__isnull=True, received_at__gt=at - _DAY)
    latest = posts.order_by("-received_at").values("pk")[:_SCORES]
    scores = Score.objects.filter(
        revision__post__in=latest, audit_probability__gt=0.0, audit_probability__lt=1.0
    )
    doubts = [audit_chance.doubt(p) for p in scores.order_by().values_list("spam_probability", flat=True)]
    return sum(doubts) / len(doubts) if len(doubts) >= _FEWEST_SCORES else None


def _random_labels(platform_id: int, *, since: datetime) -> Mapping[str | None, int]:
    counts: Counter[str | None] = Counter()
    for drawn in _DRAWN:
        with connection.cursor() as cursor:
            cursor.execute(_RANDOM_LABELS.format(drawn=drawn), {"platform": platform_id, "since": since})
            for content_probability, language, has_like, labels in cursor.fetchall():
                counts[None] += labels
                for stratum in _strata(content_probability, language, has_like=has_like):
                    counts[stratum] += labels
    return counts


def _strata(content_probability: float | None, language: str, *, has_like: bool) -> tuple[str, str, str]:
    return (
        f"content:{_band(content_probability)}",
        f"language:{language.partition('-')[0].casefold()}",
        "like:known" if has_like else "like:new",
    )


def _band(content_probability: float | None) -> str:
    if content_probability is None:
        return "unknown"
    return next((name for below, name in _BANDS if content_probability < below), "high")
