"""The queue mix in force, and the chance by which it draws among the posts of the review route."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.db.models import Count, Q

from moderation.models import Decision, QueueMix, Score
from moderation.models.cases import Lane
from moderation.models.decisions import DecisionSource
from moderation.models.scores import RouteChoice
from moderation.queries import case_access

WHOLE = 100
"""The shares are per cent of the claims."""

LEAST_CHANCE, MOST_CHANCE = 0.002, 0.5
"""No post stands for more than 500. Half are never drawn: the other lanes need cases of their own."""

_OF_PACE = 0.8
"""The draw aims below what the lane gets through, so that drawn cases do not pile up."""

MOST_OF_DRAWN = 0.5
"""Without an audit share, drawn cases take this part of the claims at most."""

_WEEK_DAYS = 7
_CACHED_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """The shares of the lanes in per cent; they sum up to 100."""

    harm: int = WHOLE
    uncertainty: int = 0
    diversity: int = 0
    audit: int = 0

    @property
    def is_default(self) -> bool:
        """Return whether everything comes by harm."""
        return self.harm == WHOLE

    @property
    def shares(self) -> tuple[tuple[Lane, int], ...]:
        """Return each lane with its share."""
        return (
            (Lane.HARM, self.harm),
            (Lane.UNCERTAINTY, self.uncertainty),
            (Lane.DIVERSITY, self.diversity),
            (Lane.AUDIT, self.audit),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the audit lane has to get through: decisions and arrivals a day, and drawn cases that wait."""

    decisions: float
    review_posts: float
    audit_cases: float
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The mix as leads see it: the chance of the draw among the review route, and drawn cases that wait."""

    mix: Mix
    chance: float | None
    waiting: int


def shown(*, at: datetime) -> Shown:
    """Return the mix with what follows from it."""
    now = mix()
    waiting = case_access.waiting().filter(is_drawn=True).count()
    return Shown(mix=now, chance=review_chance(now, at=at), waiting=waiting)


def mix() -> Mix:
    """Return the mix in force."""
    row = QueueMix.objects.values("harm", "uncertainty", "diversity", "audit").first()
    return Mix(**row) if row is not None else Mix()


def share_of_drawn(mix: Mix, *, at: datetime) -> float:
    """Return the part of the claims for drawn cases where the mix gives them none: enough to decide the
    waiting ones within a day. The load may be five minutes old.
    """
    decisions, waiting = (0.0, 0) if mix.audit else _work(_bucket(at))
    return min(waiting / max(decisions, 1.0), MOST_OF_DRAWN)


def review_chance(mix: Mix, *, at: datetime) -> float | None:
    """Return the chance by which a post of the review route is drawn now; None while no lane takes those.

    The load may be five minutes old.
    """
    return chance_of(share=mix.audit / WHOLE, load=_load(_bucket(at))) if mix.audit else None


def chance_of(*, share: float, load: Load) -> float:
    """Return the chance that keeps the audit lane worked through at its share of the claims, in (0, 1).

    A week of its claims takes a week of the audit sample, the drawn cases that wait, and a week of the review
    route's draw. It depends on the past alone, and on no post: so it can be logged, and weighed by.
    """
    if not load.review_posts or not load.decisions:
        return min(max(share, LEAST_CHANCE), MOST_CHANCE)
    rest = _OF_PACE * share * load.decisions - load.audit_cases - load.waiting / _WEEK_DAYS
    return min(max(rest / load.review_posts, LEAST_CHANCE), MOST_CHANCE)


def _bucket(at: datetime) -> int:
    return int(at.timestamp() // _CACHED_SECONDS)


@lru_cache(maxsize=4)
def _work(bucket: int) -> tuple[float, int]:
    """Return what people decide a day, and how many drawn cases wait."""
    at = datetime.fromtimestamp((bucket + 1) * _CACHED_SECONDS, tz=UTC)
    by_people = Decision.objects.filter(
        decided_at__gt=at - timedelta(days=_WEEK_DAYS),
        decided_at__lte=at,
        source=DecisionSource.MODERATOR,
        case__isnull=False,
    )
    waiting = case_access.waiting().filter(is_drawn=True).count()
    return by_people.count() / _WEEK_DAYS, waiting


@lru_cache(maxsize=4)
def _load(bucket: int) -> Load:
    at = datetime.fromtimestamp((bucket + 1) * _CACHED_SECONDS, tz=UTC)
    decisions, waiting = _work(bucket)
    # A day, not a week: arrivals are many, and their number is read in every worker.
    scored = Score.objects.filter(
        scored_at__gt=at - timedelta(days=1), scored_at__lte=at, route=RouteChoice.REVIEW
    ).aggregate(
        review=Count("pk", filter=Q(is_audit_sample=False)), audit=Count("pk", filter=Q(is_audit_sample=True))
    )
    return Load(
        decisions=decisions,
        review_posts=float(scored["review"]),
        audit_cases=float(scored["audit"]),
        waiting=waiting,
    )
