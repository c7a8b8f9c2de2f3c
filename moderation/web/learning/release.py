"""The page of one release: figures and curves of its evaluation and of labels here, features, parameters."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Release, TrainingRun
from moderation.queries.learning import feature_drift, release_pages
from moderation.queries.learning.feature_drift import FeatureDrift, Moved
from moderation.queries.learning.release_pages import Measured
from moderation.queries.quality import coverage, tables, undecided
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts
from moderation.web import access
from moderation.web.learning.models import MEASURES, PARTS, training
from moderation.web.quality.quality import Point, reliability
from moderation.web.quality.shares import share

TESTED = "tested.json"
"""Beside a shipped release's manifest: the report.json of `python -m training evaluate`."""

FEWEST_SPAM = 50
"""With fewer spam labels of this desk no curve of precision and recall is drawn."""

_SIDE, _MARKS, _SHOWN = 200, 12, 12
_PERIOD = timedelta(days=90)


@access.exporters.get
def page(request: access.DeskRequest, release_id: str) -> HttpResponse:
    """Show a release that scored here, shipped, or was made by a training run."""
    at, manifest = timezone.now(), release_pages.manifest(release_id)
    if manifest is None and release_id == scorer.shipped().id:
        manifest = dict(scorer.shipped().manifest)
    if manifest is None:
        raise Http404
    measured = _shipped_with(release_id) or release_pages.measured(release_id)
    parts = list(measured.parts()) if measured else []
    posts = labelled_posts(since=at - _PERIOD, until=at)
    own = posts.where(posts.release_id.astype(str) == release_id)
    features, scores = release_pages.importance(release_id, at=at)
    shadow_run, days = release_pages.shadow_days(release_id)
    context = {
        "section": "models",
        "at": at,
        "release": release_id,
        "live": scorer.newest(),
        "manifest": manifest,
        "card": json.dumps(manifest, indent=1, ensure_ascii=False),
        "training": training(manifest),
        "run": TrainingRun.objects.filter(candidate=release_id).select_related("requested_by").last(),
        "names": PARTS,
        "measures": MEASURES,
        "measured": measured,
        "interval": f"{measured.side}_interval" if measured else "",
        "parts": parts,
        "few": [part for part, is_enough in parts[1:] if not is_enough],
        "curves": _curves(measured.report["curves"][measured.side]) if measured and parts[0][1] else {},
        "own_labels": len(own),
        "own_points": reliability(tables.reliability(own)),
        "own_curve": _own_curve(own, at=at),
        "fewest_spam": FEWEST_SPAM,
        "features": (features[:_SHOWN], features[_SHOWN:]),
        "scores": scores,
        "drift": _drift(release_id, at=at),
        "fewest_compared": feature_drift.FEWEST,
        "shadow_run": shadow_run,
        "days": days,
        "fewest": FEWEST_SHOWN,
    }
    return render(request, "learning/release.html", context)


def _drift(release_id: str, *, at: datetime) -> tuple[FeatureDrift, list[tuple[Moved, str]]] | None:
    """Return how features moved, each with the values that did in words; None for what is not live."""
    row = Release.objects.filter(pk=release_id).first() if release_id == scorer.newest() else None
    if row is None:
        return None
    drift = feature_drift.of(row, at=at)
    return drift, [(one, _values(one)) for one in drift.rows]


def _values(moved: Moved) -> str:
    low, high = (None if bound is None else _number(bound) for bound in (moved.low, moved.high))
    if moved.is_unknown:
        return _("unknown")
    if low and high:
        return _("over %(low)s, up to %(high)s") % {"low": low, "high": high}
    if low:
        return _("over %(number)s") % {"number": low}
    return _("up to %(number)s") % {"number": high} if high else _("known")


def _number(value: float) -> str:
    rounded = float(f"{value:.4g}")
    return str(formats.number_format(int(rounded) if rounded.is_integer() else rounded))


def _own_curve(own: LabelledPosts, *, at: datetime) -> tuple[str, list[Point]] | None:
    """Draw precision and recall by labels here; None where these are few, or leave much spam out."""
    since = at - _PERIOD
    if own.is_spam.sum() < FEWEST_SPAM:
        return None
    routes = coverage.routes(own, since=since, until=at, platform=None)
    waiting = len(undecided.review_opened(since=since, until=at, platform=None))
    if routes - set(own.automatic) or coverage.hides_spam(own, waiting=waiting):
        return None
    return _curves({"own": tables.precision_recall(own)})["own"]


def _shipped_with(release_id: str) -> Measured | None:
    """Return the report that a release came with, or None."""
    try:
        report = json.loads((scorer.kept(release_id).folder / TESTED).read_text(encoding="utf-8"))
        # A file that another release left behind says nothing of this one.
        is_own = report["candidate"]["id"] == release_id
    except (*scorer.UNUSABLE, OSError, ValueError):
        return None
    return Measured(report=report, side="candidate", run=None) if is_own else None


def _curves(curves: dict[str, Sequence[Sequence[float]]]) -> dict[str, tuple[str, list[Point]]]:
    """Draw each curve of [across, upwards, …] in [0, 1] as a line, with its values at a dozen points."""
    drawn = {}
    for name, points in curves.items():
        places = [
            Point(x=round(_SIDE * x, 1), y=y, top=y, bottom=y, words=f"{share(across)} → {share(upwards)}")
            for across, upwards, *_rest in points
            for x, y in [(across, round(_SIDE * (1 - upwards), 1))]
        ]
        line = "M" + "L".join(f"{one.x} {one.y}" for one in places)
        drawn[name] = (line, places[:: 1 + len(places) // _MARKS])
    return drawn
