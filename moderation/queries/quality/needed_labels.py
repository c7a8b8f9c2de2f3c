"""How many labels a figure takes: "±20 % of the missed spam needs so many a week"."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from moderation.models import Score
from moderation.models.scores import RouteChoice
from moderation.queries.labels import audit_chance
from moderation.queries.quality import estimates
from moderation.queries.quality.labelled_posts import LabelledPosts

WITHIN = 0.2
LABELS_SINCE = timedelta(days=28)
_WEEK = timedelta(days=7)
_SCORES, _FEWEST_SCORES = 5_000, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFewScores:
    """This week's posts say too little for a plan."""

    scores: int
    fewest: int = _FEWEST_SCORES


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededLabels:
    """Labels of allowed posts a week, drawn `by_score`, that measure the share of spam among them.

    Its standard error is then that part `within` of it. `share` is measured by `labels`, or else what the
    model itself says. `pace` is how many labels of allowed posts the last week gave.
    """

    by_score: int
    within: float
    share: float
    is_measured: bool
    labels: int
    scores: int
    pace: int


def of_traffic(*, at: datetime, platform_id: int | None, posts: LabelledPosts) -> NeededLabels | TooFewScores:
    """Plan by the scores of the last week and the share that `posts`, labels since LABELS_SINCE, measured."""
    scores = _allowed_scores(at=at, platform_id=platform_id)
    if len(scores) < _FEWEST_SCORES or not any(scores):
        return TooFewScores(scores=len(scores))
    measured = estimates.ratio(
        part=posts.is_spam & posts.is_allowed, whole=posts.is_allowed, chances=posts.chance
    )
    share = measured.value or sum(scores) / len(scores)
    return NeededLabels(
        by_score=by_score(scores=scores, share=share),
        within=WITHIN,
        share=share,
        is_measured=bool(measured.value),
        labels=measured.labels,
        scores=len(scores),
        pace=int(((posts.labelled_at > at - _WEEK) & posts.is_allowed).sum()),
    )


def by_score(*, scores: Sequence[float], share: float, within: float = WITHIN) -> int:
    """Return how many to draw of traffic with these spam probabilities, not all 0, of which `share` is spam.

    A label of the chance c adds E(y - share)² / c to the variance. The scores are scaled so that their mean
    is the share: what the model is blind to is not in them. Raises ValueError if `share` or `within` is not
    in (0, 1).
    """
    for name, value in (("share", share), ("within", within)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} {value} is not in (0, 1)")
    spam = np.asarray(scores, dtype=np.float64)
    doubts = np.sqrt(spam * (1.0 - spam))
    relative = audit_chance.UNIFORM + (1.0 - audit_chance.UNIFORM) * doubts / doubts.mean()
    true = np.minimum(1.0, spam * share / spam.mean())
    variances = true * (1.0 - share) ** 2 + (1.0 - true) * share**2
    target = (within * share) ** 2
    return math.ceil(float((variances / relative).mean()) / target)


def _allowed_scores(*, at: datetime, platform_id: int | None) -> list[float]:
    """Return the spam probabilities of the latest posts that the filter let through."""
    scores = Score.objects.filter(
        route=RouteChoice.ALLOW, scored_at__gt=at - _WEEK, scored_at__lte=at, is_degraded=False
    )
    if platform_id is not None:
        scores = scores.filter(revision__post__platform=platform_id)
    return list(scores.order_by("-scored_at").values_list("spam_probability", flat=True)[:_SCORES])
