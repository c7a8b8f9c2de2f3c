"""The accuracy rows of the European transparency report (Implementing Regulation (EU) 2024/2835).

Part 8 of its template, "Use of automated means for content moderation", asks for their accuracy, precision
and recall. They are here of the filter alone: of posts that it removed or let through without a person. Posts
that go to a person are left out of the accuracy, and count as not removed in the recall.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from moderation.models.quality import Measure
from moderation.queries.quality import figures
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.labelled_posts import Flags, LabelledPosts, labelled_posts, passed_over

TOTAL = "Total number"
"""The template's name of the scope of everything; languages are scopes of their own."""

_ONE_LOOK = 1
_INDICATOR = "Accuracy of the automated means - {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyRow:
    """One indicator of one scope, by the template's names: TOTAL or a language."""

    scope: str
    indicator: str
    estimate: Estimate


def accuracy(*, since: datetime, until: datetime, platform_id: int | None = None) -> Iterator[AccuracyRow]:
    """Yield the indicators of all posts first scored in a period, then of each language that was stated."""
    posts, passed = (
        read(since=since, until=until, platform_id=platform_id) for read in (labelled_posts, passed_over)
    )
    yield from _rows(TOTAL, posts, passed)
    for language in sorted(set(posts.language.tolist()) - {""}):
        of_language = (part.where(np.asarray(part.language == language)) for part in (posts, passed))
        yield from _rows(language, *of_language)


def _rows(scope: str, posts: LabelledPosts, passed: LabelledPosts) -> Iterator[AccuracyRow]:
    precision, recall = (
        figure.weighted
        for figure in figures.figures(
            posts, looks=_ONE_LOOK, measures=(Measure.PRECISION, Measure.RECALL), passed=passed
        )
    )
    accurate = figures.estimate(
        posts, passed, parts=_right, least=lambda those: ~those.is_removed, looks=_ONE_LOOK
    )
    for name, estimate in (("Accuracy", accurate), ("Precision", precision), ("Recall", recall)):
        yield AccuracyRow(scope=scope, indicator=_INDICATOR.format(name), estimate=estimate)


def _right(posts: LabelledPosts) -> tuple[Flags, Flags]:
    right = (posts.is_removed & posts.is_spam) | (posts.is_allowed & ~posts.is_spam)
    return right, posts.is_removed | posts.is_allowed
