"""How far each feature has moved: a release's last week here beside its first.

Compared is an even sample, once an hour in each process. As in drift, features that count everything seen so
far are left out: they grow with the installation's age.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from moderation.models import Release, Score
from moderation.models.scores import RouteChoice
from moderation.queries.quality.drift_traits import WATCHED
from scoring.features import SCHEMA_HASH

Numbers = npt.NDArray[np.float64]

FEWEST = 200
"""With fewer scores of either week nothing is compared."""

MOST = 10
LEAST_INDEX = 0.1
"""A population stability index below this is commonly read as no change."""

_WEEK, _DRAWN, _HOUR_SECONDS = timedelta(days=7), 3_000, 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A feature, its index, and the values whose share changed most: above `low`, up to `high`, or unknown.

    A bound is None where there is none.
    """

    feature: str
    index: float
    low: float | None
    high: float | None
    is_unknown: bool
    before: float
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureDrift:
    """What has moved most, the furthest first, and how many scores of both weeks were compared."""

    since: datetime
    rows: tuple[Moved, ...]
    before: int
    now: int

    @property
    def is_compared(self) -> bool:
        """Whether both weeks have scores enough."""
        return min(self.before, self.now) >= FEWEST


def of(release: Release, *, at: datetime) -> FeatureDrift:
    """Compare the last seven days, to the hour, with a release's first seven, as far as they are over."""
    hour = int(at.timestamp() // _HOUR_SECONDS) + 1
    return _of(release.pk, release.first_used_at, hour)


@lru_cache(maxsize=4)
def _of(release_id: str, since: datetime, hour: int) -> FeatureDrift:
    until = datetime.fromtimestamp(hour * _HOUR_SECONDS, tz=UTC)
    before = _features(release_id, since=since, until=min(since + _WEEK, until - _WEEK))
    now = _features(release_id, since=until - _WEEK, until=until)
    drift = FeatureDrift(since=since, rows=(), before=len(before), now=len(now))
    if not drift.is_compared:
        return drift
    rows = [moved(name, before[:, place], now[:, place]) for place, name in WATCHED]
    found = sorted((row for row in rows if row is not None), key=lambda row: -row.index)
    return FeatureDrift(since=since, rows=tuple(found[:MOST]), before=len(before), now=len(now))


def moved(feature: str, before: Numbers, now: Numbers) -> Moved | None:
    """Compare two samples of a feature, NaN where it is unknown; None if it moved little, or as chance does.

    Bins are tenths of the first sample. The index of two samples of one distribution is a chi-squared value
    times 1/n + 1/m (Yurdakul 2018): it has to exceed its mean by four standard deviations.
    """
    known = before[~np.isnan(before)]
    edges = np.unique(np.quantile(known, np.linspace(0.1, 0.9, 9))) if len(known) else np.empty(0)
    bins = len(edges) + 2
    shares = [_shares(values, edges) for values in (before, now)]
    terms = (shares[1] - shares[0]) * np.log(shares[1] / shares[0])
    chance = (bins - 1 + 4 * np.sqrt(2 * (bins - 1))) * (1 / len(before) + 1 / len(now))
    if (index := float(terms.sum())) < max(LEAST_INDEX, chance):
        return None
    place = int(terms.argmax())
    return Moved(
        feature=feature,
        index=index,
        low=float(edges[place - 1]) if 0 < place < bins - 1 else None,
        high=float(edges[place]) if place < len(edges) else None,
        is_unknown=place == bins - 1,
        before=float(shares[0][place]),
        now=float(shares[1][place]),
    )


def _shares(values: Numbers, edges: Numbers) -> Numbers:
    """Return the share of each bin, unknown values last; none is 0, whose logarithm has no end."""
    places = np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="left"))
    counts = np.bincount(places, minlength=len(edges) + 2) + 0.5
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _features(release_id: str, *, since: datetime, until: datetime) -> Numbers:
    """Return the features of first scores within a period, a row each: drawn by id, which grow with time."""
    scores = Score.objects.filter(scored_at__gte=since, scored_at__lt=until)
    # Of each route: the index by route and time finds both ends.
    ends = [
        scores.filter(route=route).order_by(order).values_list("pk", flat=True)[:1]
        for route in RouteChoice.values
        for order in ("scored_at", "-scored_at")
    ]
    ids = list(ends[0].union(*ends[1:], all=True))
    if not ids:
        return np.empty((0, 0))
    within = range(min(ids), max(ids) + 1)
    drawn = random.Random(release_id).sample(within, min(_DRAWN, len(within)))  # noqa: S311 - a sample
    rows = scores.filter(
        pk__in=drawn, release=release_id, generation=1, ban__isnull=True, schema_hash=SCHEMA_HASH
    )
    return np.array(list(rows.order_by("pk").values_list("features", flat=True)), dtype=np.float64)
