"""The figures of a canary: its arm and the live one, from the labels of their own posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, Q

from moderation.models import CanaryRun, Decision
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.quality import Measure
from moderation.models.scores import RouteChoice
from moderation.queries.quality import estimates, figures
from moderation.queries.quality.estimates import FEWEST_SHOWN, Estimate
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts

LOOKS = 28
"""Four weeks, looked at every day."""

_HIGHER_IS_BETTER = {Measure.PRECISION.value: True, Measure.MISSED.value: False, "taken_back": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigure:
    """One figure of both arms. `is_worse`: the whole interval of the candidate's is beyond live's."""

    name: str
    live: Estimate
    candidate: Estimate
    is_worse: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return asdict(self)


def of(canary: CanaryRun, *, at: datetime) -> list[ArmFigure]:
    """Estimate the figures of a canary that has started."""
    since = canary.started_at or at
    posts = labelled_posts(since=since, until=at)
    return compared(
        posts, live=canary.live, candidate=canary.candidate, taken_back=_taken_back(canary, since=since)
    )


def compared(
    posts: LabelledPosts, *, live: str, candidate: str, taken_back: tuple[Estimate, Estimate]
) -> list[ArmFigure]:
    """Compare precision of removals, spam among the allowed, and removals that people took back.

    The arms are different authors, so nothing is paired: certain is what two intervals without a common
    point say, with 20 labels in each arm.
    """
    arms = [posts.where(np.asarray(posts.release_id == release, dtype=bool)) for release in (live, candidate)]
    measures = (Measure.PRECISION, Measure.MISSED)
    found = [figures.figures(arm, looks=LOOKS, measures=measures) for arm in arms]
    pairs = [
        (str(one.measure), one.weighted, other.weighted)
        for one, other in zip(found[0], found[1], strict=True)
    ]
    return [_figure(*pair) for pair in (*pairs, ("taken_back", *taken_back))]


def worse(found: Sequence[ArmFigure]) -> str:
    """Return what is certainly worse, in words for the log; empty if nothing is."""
    return "; ".join(
        f"{one.name}: {one.candidate.low:.3f} to {one.candidate.high:.3f}, live {one.live.low:.3f} to"
        f" {one.live.high:.3f}"
        for one in found
        if one.is_worse
    )


def _figure(name: str, live: Estimate, candidate: Estimate) -> ArmFigure:
    is_beyond = candidate.high < live.low if _HIGHER_IS_BETTER[name] else candidate.low > live.high
    is_enough = min(live.labels, candidate.labels) >= FEWEST_SHOWN
    return ArmFigure(name=name, live=live, candidate=candidate, is_worse=is_beyond and is_enough)


def _taken_back(canary: CanaryRun, *, since: datetime) -> tuple[Estimate, Estimate]:
    """Return the share of the filter's own removals that a person replaced, of both arms."""
    rows = (
        Decision.objects.filter(
            decided_at__gte=since,
            source=DecisionSource.AUTOMATIC,
            verdict=Verdict.SPAM,
            score__route=RouteChoice.REMOVE,
            score__rule__isnull=True,
            score__release__in=(canary.live, canary.candidate),
            score__ban__isnull=True,
        )
        .order_by()
        .values_list("score__release")
        .annotate(all=Count("pk"), replaced=Count("pk", filter=Q(reversal__replacement__isnull=False)))
    )
    counts = {release: (replaced, every) for release, every, replaced in rows}
    return (_share(*counts.get(canary.live, (0, 0))), _share(*counts.get(canary.candidate, (0, 0))))


def _share(part: int, whole: int) -> Estimate:
    return estimates.ratio(
        part=[1] * part + [0] * (whole - part), whole=[1] * whole, chances=[1.0] * whole, looks=LOOKS
    )
