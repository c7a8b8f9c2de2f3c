"""The scores that thresholds route: of the live models, on the latest revision, without rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Count, F, IntegerField, Q, QuerySet
from django.db.models.functions import Cast, Floor

from moderation.models import Platform, Release, Score
from moderation.models.scores import RouteChoice
from scoring.release import Release as KeptRelease
from scoring.release import Thresholds as Thresholds  # noqa: PLC0414 - pages choose them
from scoring.routing import ReviewReason

WINDOW = timedelta(days=7)
STEPS = 1_000
"""Thresholds are whole thousandths."""

_RELEASES = 50
_FORCED = (
    ReviewReason.DEGRADED.value,
    ReviewReason.HOLD.value,
    ReviewReason.OUTVOTED.value,
    ReviewReason.UNREAD_SCRIPT.value,
)

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The live release, and where the thresholds hold: on a platform with its own, or on all others."""

    release: KeptRelease
    platform: Platform | None
    others: tuple[str, ...]
    releases: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The platform, "" for all that share thresholds."""
        return self.platform.slug if self.platform else ""

    @property
    def thresholds(self) -> Thresholds:
        """The live thresholds here."""
        return self.release.thresholds_on(self.slug)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Posts of `WINDOW` by spam probability in thousandths: `free` are routed by thresholds, of `forced` a
    human has to see each, whatever they are.
    """

    free: Counts
    forced: int
    days: float

    @property
    def posts(self) -> int:
        """All posts of the window."""
        return int(self.free.sum()) + self.forced

    def removed(self, thresholds: Thresholds) -> int:
        """Count the posts that would be removed automatically."""
        return int(self.free[_step(thresholds.remove_from) :].sum())

    def allowed(self, thresholds: Thresholds) -> int:
        """Count the posts that would be let through automatically."""
        return int(self.free[: _step(thresholds.review_from)].sum())

    def cases(self, thresholds: Thresholds) -> float:
        """Return how many posts a human would see, the audit sample among them."""
        automatic = self.removed(thresholds) + self.allowed(thresholds)
        return self.posts - automatic + thresholds.audit_rate * automatic


def subject(release: KeptRelease, *, slug: str = "") -> Subject:
    """Return what thresholds of the live release are about. Raises Platform.DoesNotExist."""
    platform = Platform.objects.filter(slug=slug).first() if slug in release.platforms else None
    if slug and platform is None:
        raise Platform.DoesNotExist(slug)
    return Subject(
        release=release,
        platform=platform,
        others=() if slug else tuple(release.platforms),
        releases=same_models(release),
    )


def of_platform(release: KeptRelease, *, platform: Platform) -> Subject:
    """Return what thresholds would do to one platform's posts, whether or not it has its own."""
    return Subject(release=release, platform=platform, others=(), releases=same_models(release))


def same_models(release: KeptRelease) -> tuple[str, ...]:
    """Return the releases that differ in thresholds at most: their probabilities are the same."""
    models = _without_thresholds(release.manifest)
    rows = Release.objects.order_by("-first_used_at", "id").values_list("pk", "manifest")[:_RELEASES]
    same = {pk for pk, manifest in rows if _without_thresholds(manifest) == models}
    return tuple(sorted(same | {release.id}))


def scores(about: Subject, *, at: datetime) -> QuerySet[Score]:
    """Return the scores of the window that thresholds route or a human had to see, a post's latest only."""
    found = Score.objects.filter(
        # All routes: the index by route and time bounds the search.
        route__in=RouteChoice.values,
        scored_at__gt=at - WINDOW,
        scored_at__lte=at,
        release__in=about.releases,
        ban__isnull=True,
        rule__isnull=True,
        generation=F("revision__scoring__generation"),
        revision__number=F("revision__post__latest_revision"),
        revision__post__erased_at__isnull=True,
    )
    if about.platform:
        return found.filter(revision__post__platform=about.platform)
    return found.exclude(revision__post__platform__slug__in=about.others) if about.others else found


def traffic(about: Subject, *, at: datetime) -> Traffic:
    """Count the posts of the window by probability, in one query."""
    step = Cast(Floor(F("spam_probability") * STEPS), IntegerField())
    rows = (
        scores(about, at=at)
        .order_by()
        .values(step=step)
        .annotate(
            forced=Count("pk", filter=Q(is_degraded=True) | Q(route_reason__in=_FORCED)),
            posts=Count("pk"),
        )
        .values_list("step", "posts", "forced")
    )
    free, forced = np.zeros(STEPS + 1, dtype=np.int64), 0
    for place, posts, of_them in rows:
        free[place] += posts - of_them
        forced += of_them
    return Traffic(free=free, forced=forced, days=WINDOW / timedelta(days=1))


def _step(threshold: float) -> int:
    return round(threshold * STEPS)


def _without_thresholds(manifest: Mapping[str, Any]) -> dict[str, Any]:
    own = manifest.get("platforms") or {}
    rest = {
        name: part for name, part in manifest.items() if name not in {"thresholds", "derived", "platforms"}
    }
    return rest | {
        "platforms": {
            slug: {name: part for name, part in about.items() if name != "thresholds"}
            for slug, about in own.items()
        }
    }
