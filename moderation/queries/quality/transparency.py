"""The accuracy rows of the European transparency report (Implementing Regulation (EU) 2024/2835).

Article 15(1)(e) of Regulation (EU) 2022/2065 asks for the accuracy and the possible rate of error of
automated means. Accurate is here a post that the filter alone removed and that a person finds to be spam; the
rate of error is the rest. Beside it stands the share of honest posts that the filter alone removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from moderation.models.quality import Measure
from moderation.queries.quality import figures
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts

_MEASURES = (Measure.PRECISION, Measure.FALSE_ALARMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyRow:
    """One indicator of one scope: "all" or a language."""

    scope: str
    indicator: str
    estimate: Estimate


def accuracy(*, since: datetime, until: datetime, platform_id: int | None = None) -> Iterator[AccuracyRow]:
    """Yield the indicators of all posts first scored in a period, then of each language."""
    posts = labelled_posts(since=since, until=until, platform_id=platform_id)
    yield from _rows("all", posts)
    for language in sorted(set(posts.language.tolist())):
        yield from _rows(language or "not stated", posts.where(np.asarray(posts.language == language)))


def _rows(scope: str, posts: LabelledPosts) -> Iterator[AccuracyRow]:
    right, wrong = (one.weighted for one in figures.figures(posts, looks=1, measures=_MEASURES))
    error = Estimate(
        value=None if right.value is None else 1 - right.value,
        low=1 - right.high,
        high=1 - right.low,
        labels=right.labels,
    )
    for indicator, estimate in (
        ("accuracy of automated removals", right),
        ("possible rate of error of automated removals", error),
        ("honest posts removed by automated means", wrong),
    ):
        yield AccuracyRow(scope=scope, indicator=indicator, estimate=estimate)
