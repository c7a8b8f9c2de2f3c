"""One release: what it is, who measured it on which posts, and what its features do here."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDay

from moderation.models import Release, Score, ShadowRun, ShadowScore, TrainingRun
from moderation.models.scores import RouteChoice
from moderation.queries.quality.estimates import FEWEST_SHOWN

_SCORES, _RECENT = 500, timedelta(days=28)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The report of an evaluation that compared a release, as `side`: "live" or "candidate".

    `run` is the training run that made it, None if the report came with the release.
    """

    report: Mapping[str, Any]
    side: str
    run: TrainingRun | None

    def parts(self) -> Iterator[tuple[Mapping[str, Any], bool]]:
        """Yield all of its posts, each source and language, and whether both classes have posts enough."""
        for part in self.report["slices"]:
            spam = part.get("spam", 0)
            if part["by"] != "campaign":
                yield part, min(spam, part["rows"] - spam) >= FEWEST_SHOWN


def manifest(release_id: str) -> dict[str, Any] | None:
    """Return the manifest of a release that scored here or was made by a training run, or None."""
    made = TrainingRun.objects.filter(candidate=release_id, manifest__isnull=False)
    for rows in (Release.objects.filter(pk=release_id), made):
        if row := rows.first():
            return row.manifest
    return None


def measured(release_id: str) -> Measured | None:
    """Return what the latest training run that compared a release measured of it."""
    compared = Q(candidate=release_id) | Q(live=release_id)
    run = TrainingRun.objects.filter(compared, report__has_key="slices").order_by("-id").first()
    side = "candidate" if run and run.candidate == release_id else "live"
    return Measured(report=run.report, side=side, run=run) if run and run.report else None


def importance(release_id: str, *, at: datetime) -> tuple[list[tuple[str, float]], int]:
    """Return the mean size of each feature's share of the score, in log-odds, and of how many scores."""
    # All routes: the index by route and time bounds the search.
    rows = Score.objects.filter(route__in=RouteChoice.values, scored_at__gte=at - _RECENT, release=release_id)
    scores = rows.filter(ban__isnull=True).order_by("-scored_at").values_list("contributions", flat=True)
    sizes, found = Counter[str](), list(scores[:_SCORES])
    for name, _value, share in (one for contributions in found for one in contributions):
        sizes[name] += abs(share)
    return [(name, size / len(found)) for name, size in sizes.most_common() if size], len(found)


def shadow_days(release_id: str) -> tuple[ShadowRun | None, list[dict[str, Any]]]:
    """Return the latest shadow run with a release on either side, and what both did with each day's posts."""
    runs = ShadowRun.objects.filter(Q(candidate=release_id) | Q(live=release_id)).defer("draws", "figures")
    run = runs.order_by("-id").first()
    sides = {
        f"{side}_{one}": Q(**{side: one}) for side in ("live_route", "route") for one in RouteChoice.values
    }
    counts = {name: Count("pk", filter=wanted) for name, wanted in sides.items()}
    rows: QuerySet[ShadowScore, Any] = ShadowScore.objects.filter(run=run).order_by()
    days = rows.values(day=TruncDay("score__scored_at")).annotate(posts=Count("pk"), **counts)
    return run, [dict(row) for row in days.order_by("day")]
