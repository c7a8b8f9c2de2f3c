"""Which posts have no label: a figure of several routes is withheld where its labels leave some out.

Among labels of the review route alone nothing was removed: a recall of 0 would say nothing of the filter.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from moderation.models import Platform, Score
from moderation.models.cases import CaseReason
from moderation.models.quality import Measure
from moderation.models.scores import RouteChoice
from moderation.queries.quality.estimates import FEWEST_SHOWN, unknown
from moderation.queries.quality.figures import Figure
from moderation.queries.quality.labelled_posts import LabelledPosts

_OF_ALL_ROUTES = frozenset({Measure.RECALL, Measure.PREVALENCE, Measure.FALSE_ALARMS})
_OF_ALL_SPAM = frozenset({Measure.RECALL, Measure.PREVALENCE})
_MOST_UNDECIDED = 0.05
"""More of all spam than this may not wait in review: some of it always does."""

_UNPROVEN = Q(route=RouteChoice.REVIEW, route_reason=CaseReason.UNPROVEN)
_SCORES: Mapping[RouteChoice, Sequence[Q]] = {
    # Two parts, since each is found by the index of routes.
    RouteChoice.REMOVE: (Q(route=RouteChoice.REMOVE), _UNPROVEN),
    RouteChoice.REVIEW: (Q(route=RouteChoice.REVIEW, is_audit_sample=False) & ~_UNPROVEN,),
    RouteChoice.ALLOW: (Q(route=RouteChoice.ALLOW),),
}


def routes(
    posts: LabelledPosts, *, since: datetime, until: datetime, platform: Platform | None
) -> frozenset[RouteChoice]:
    """Return the routes of a period's posts: those of the labels, and others that scores took.

    With too few labels to show anything the scores are not searched.
    """
    labelled = frozenset(RouteChoice(route) for route in posts.automatic)
    if len(posts) < FEWEST_SHOWN:
        return labelled
    scores = Score.objects.filter(scored_at__gte=since, scored_at__lt=until, ban__isnull=True)
    if platform is not None:
        scores = scores.filter(revision__post__platform=platform)
    others = set(RouteChoice) - labelled
    return labelled | {
        route for route in others if any(scores.filter(condition).exists() for condition in _SCORES[route])
    }


def hides_spam(posts: LabelledPosts, *, waiting: int) -> bool:
    """Return whether much of the spam may be among posts that wait in review, and no draw stands for them."""
    is_review = ~(posts.is_removed | posts.is_allowed)
    spam = float((1.0 / posts.chance)[posts.is_spam].sum())
    return not (posts.chance[is_review] < 1).any() and waiting > _MOST_UNDECIDED * (spam + waiting)


def unlabelled(labels: Mapping[Measure, int]) -> frozenset[RouteChoice]:
    """Return the routes without a label, from the labels of each figure of a slice."""
    removed, allowed = labels[Measure.PRECISION], labels[Measure.MISSED]
    reviewed = labels[Measure.PREVALENCE] - removed - allowed
    counts = {RouteChoice.REMOVE: removed, RouteChoice.REVIEW: reviewed, RouteChoice.ALLOW: allowed}
    return frozenset(route for route, number in counts.items() if not number)


def shown(
    figures: Iterable[Figure], *, of: Sequence[Figure], wanted: Collection[RouteChoice], hides_spam: bool
) -> tuple[Figure, ...]:
    """Withhold figures that labels leave posts out of. Those `of` a slice say what it has labels of.

    `wanted` are the routes that have posts.
    """
    hidden = _OF_ALL_SPAM if hides_spam else frozenset()
    weighted, uniform = (
        _OF_ALL_ROUTES if unlabelled(labels) & set(wanted) else hidden
        for labels in (
            {one.measure: one.weighted.labels for one in of},
            {one.measure: one.uniform.labels for one in of},
        )
    )
    return tuple(
        replace(
            one,
            weighted=unknown(labels=one.weighted.labels) if one.measure in weighted else one.weighted,
            uniform=unknown(labels=one.uniform.labels) if one.measure in uniform else one.uniform,
        )
        for one in figures
    )
