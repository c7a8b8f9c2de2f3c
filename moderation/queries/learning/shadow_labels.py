"""What a comparison of a candidate reads: counts of all posts that both releases scored, and labels of some.

A label counts if the live release's route or chance brought its post to a human: the route review (chance 1,
or with an audit lane in the queue mix that of its draw), the audit sample, or a draw of the run's
disagreements. A post that differs can come up in the last two, so its chance is that of being in at least
one. Labels of other random draws, of complaints and of appeals are left out.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, OuterRef, Q, Subquery

from moderation.models import Label, ShadowRun, ShadowScore
from moderation.models.scores import RouteChoice
from moderation.queries.learning import shadow_figures
from moderation.queries.learning.shadow_figures import ALL, Comparison, Routes, ShadowLabels, Slice
from scoring.gate import Finding

DIMENSIONS = ("platform", "language", "links")
"""Not the live route: of the posts that it removed, another release as good removes fewer, by chance."""

_SLICED = ("platform__slug", "language", "links")
"""The columns of DIMENSIONS."""


def comparison(run: ShadowRun) -> Comparison:
    """Compare a run's candidate with the live release."""
    return shadow_figures.compare(labels(run), counted=counted(run))


def findings(*, candidate: str, live: str) -> list[Finding]:
    """Return what the promotion gate is told of the latest run of these two releases; nothing without one."""
    run = ShadowRun.objects.filter(candidate=candidate, live=live).order_by("-id").first()
    return [] if run is None else [shadow_figures.finding(comparison(run), number=run.pk)]


def as_json(found: Comparison, *, at: datetime, until: datetime | None) -> dict[str, Any]:
    """Return a comparison as it is stored with its run, estimated at `at` of posts up to `until`."""
    return {
        "estimated_at": at.isoformat(),
        "until": until.isoformat() if until else None,
        "routes": [[*routes, posts] for routes, posts in sorted(found.routes.items())],
        "rates": [asdict(rate) for rate in found.rates],
        "differences": [asdict(one) for one in found.differences],
    }


def until(run: ShadowRun) -> datetime | None:
    """Return when the last draw of disagreements was, None if there was none.

    The figures are of the posts up to then: a later disagreement had a much smaller chance of a label, and
    one such label would make every interval as wide as if there were no others.
    """
    return max((datetime.fromisoformat(draw["at"]) for draw in run.draws), default=None)


def counted(run: ShadowRun) -> dict[Slice, Counter[Routes]]:
    """Count the posts of a run by both routes, of all and of each slice."""
    found: dict[Slice, Counter[Routes]] = {ALL: Counter()}
    rows = _scores(run).order_by().values_list(*_SLICED, "live_route", "route").annotate(posts=Count("pk"))
    for *values, live, candidate, posts in rows:
        for slice_ in (ALL, *zip(DIMENSIONS, values, strict=True)):
            found.setdefault(slice_, Counter())[live, candidate] += posts
    return found


def labels(run: ShadowRun) -> ShadowLabels:
    """Read the labels of a run's posts that count."""
    rows = list(_labelled(run))
    by_column: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * 7
    is_spam, chance, live, candidate, *slices = by_column
    named = zip(DIMENSIONS, slices, strict=True)
    return ShadowLabels(
        is_spam=np.asarray(is_spam, dtype=bool),
        chance=np.asarray(chance, dtype=float),
        live=np.asarray(live, dtype=object),
        candidate=np.asarray(candidate, dtype=object),
        slices={name: np.asarray(values, dtype=object) for name, values in named},
    )


def _labelled(run: ShadowRun) -> Iterator[tuple[Any, ...]]:
    standing = Label.objects.filter(
        retracted_at__isnull=True,
        post=OuterRef("score__revision__post"),
        decision__revision=OuterRef("score__revision"),
    )
    is_asked = Q(score__route=RouteChoice.REVIEW) | Q(case__isnull=False)
    counts = Q(score__review_probability__isnull=True) | Q(score__is_review_sample=True)
    rows = _scores(run).filter(is_asked, counts).annotate(is_spam=Subquery(standing.values("is_spam")[:1]))
    wanted = (
        "is_spam", "scored_at", "distance", "score__is_audit_sample", "score__route",
        "score__audit_probability", "score__review_probability", "live_route", "route", *_SLICED,
    )  # fmt: skip
    draws = [(datetime.fromisoformat(draw["at"]), float(draw["chance"])) for draw in run.draws]
    for row in rows.filter(is_spam__isnull=False).order_by("pk").values_list(*wanted):
        is_spam, scored_at, distance, is_audit, asked, audit, review, *rest = row
        chance = shadow_figures.chance(
            is_review=asked == RouteChoice.REVIEW and not is_audit,
            audit=audit,
            draws=[share for drawn_at, share in draws if distance and scored_at <= drawn_at],
        )
        if chance > 0:
            yield is_spam, chance if review is None else review, *rest


def _scores(run: ShadowRun) -> Any:
    rows = ShadowScore.objects.filter(run=run)
    last = until(run)
    return rows if last is None else rows.filter(scored_at__lte=last)
