"""The five figures of quality, estimated from labelled posts: together, by slice, and by day or week."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np

from moderation.models.quality import Dimension, Measure, QualityUnit
from moderation.queries.quality import estimates
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.labelled_posts import Flags, LabelledPosts

Parts = Callable[[LabelledPosts], tuple[Flags, Flags]]

MOST_SLICES = 30
"""Slices of one dimension: those with the most labels."""

UNKNOWN_LANGUAGE = "und"
"""What a question calls the language of posts without one, whose slice has an empty name (ISO 639)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An estimate from all labels that count, and that from those drawn uniformly."""

    measure: Measure
    weighted: Estimate
    uniform: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The figures of a part of the posts; `name` is empty for all of them."""

    dimension: Dimension
    name: str
    figures: tuple[Figure, ...]


def figures(
    posts: LabelledPosts,
    *,
    looks: int,
    measures: tuple[Measure, ...] = tuple(Measure),
    unit: QualityUnit = QualityUnit.POSTS,
    passed: LabelledPosts | None = None,
) -> tuple[Figure, ...]:
    """Estimate the measures of all posts that these labels stand for, as they come in over so many looks.

    By views posts count as often as they were seen; all of `posts` have views then. `passed` were drawn and
    passed over: an interval reaches from the least to the most that any labels of theirs would make of it
    (Manski, 1989).
    """
    return tuple(_figure(posts, measure, looks=looks, unit=unit, passed=passed) for measure in measures)


def slices(posts: LabelledPosts, *, looks: int, unit: QualityUnit, passed: LabelledPosts) -> Iterator[Slice]:
    """Yield all posts, then each slice of each dimension.

    Daily looks over a period are as many as its days (`looks`). A route says nothing of other routes, and a
    reason is one of spam: such slices have only the measures that mean something there.
    """
    values = figures(posts, looks=looks, unit=unit, passed=passed)
    yield Slice(dimension=Dimension.ALL, name="", figures=values)
    for dimension, measures in _SLICED.items():
        column, passed_column = _column(posts, dimension), _column(passed, dimension)
        names, labels = np.unique(column.astype(str), return_counts=True)
        for place in np.argsort(-labels, kind="stable")[:MOST_SLICES]:
            name = str(names[place])
            if dimension == Dimension.LANGUAGE or name.rpartition(":")[2]:
                part = posts.where(np.asarray(column == name, dtype=bool))
                passed_part = passed
                if dimension != Dimension.REASON:  # theirs may be any reason
                    passed_part = passed.where(np.asarray(passed_column == name, dtype=bool))
                values = figures(part, looks=looks, measures=measures, unit=unit, passed=passed_part)
                yield Slice(dimension=dimension, name=name, figures=values)


def slice_of(*, language: str, release: str) -> tuple[Dimension, str]:
    """Return the dimension and name of the slice that both choose; of an empty one all count."""
    spoken = "" if language == UNKNOWN_LANGUAGE else language
    if language and release:
        return Dimension.LANGUAGE_RELEASE, f"{spoken}:{release}"
    if language:
        return Dimension.LANGUAGE, spoken
    return (Dimension.RELEASE, release) if release else (Dimension.ALL, "")


def by_day(
    posts: LabelledPosts, *, days: int, unit: QualityUnit, passed: LabelledPosts
) -> Iterator[tuple[datetime, tuple[Figure, ...]]]:
    """Yield the figures of each day or week (of seven days, from Monday) that has labels, by its start."""
    starts, passed_starts = _starts(posts, days=days), _starts(passed, days=days)
    for start in sorted(set(starts.tolist())):
        part = posts.where(np.asarray(starts == start, dtype=bool))
        passed_part = passed.where(np.asarray(passed_starts == start, dtype=bool))
        yield start, figures(part, looks=days, unit=unit, passed=passed_part)


def estimate(
    posts: LabelledPosts,
    passed: LabelledPosts | None,
    *,
    parts: Parts,
    least: Callable[[LabelledPosts], Flags],
    looks: int,
    unit: QualityUnit = QualityUnit.POSTS,
) -> Estimate:
    """Estimate the ratio of the two columns that `parts` makes of labels, as `figures` does.

    `least` says which posts are spam where the ratio is least; where all others are, it is greatest.
    """
    ratio = _ratio([posts], parts=parts, looks=looks, unit=unit)
    if not passed:
        return ratio
    low, high = (
        _ratio([posts, replace(passed, is_spam=is_spam)], parts=parts, looks=looks, unit=unit)
        for is_spam in (least(passed), ~least(passed))
    )
    return replace(ratio, low=min(ratio.low, low.low), high=max(ratio.high, high.high))


def _figure(
    posts: LabelledPosts, measure: Measure, *, looks: int, unit: QualityUnit, passed: LabelledPosts | None
) -> Figure:
    weighted, uniform = (
        estimate(
            group, rest, parts=partial(_parts, measure=measure), least=_LEAST[measure], looks=looks, unit=unit
        )
        for group, rest in ((posts, passed), (posts.uniform, passed and passed.uniform))
    )
    return Figure(measure=measure, weighted=weighted, uniform=uniform)


def _ratio(posts: Sequence[LabelledPosts], *, parts: Parts, looks: int, unit: QualityUnit) -> Estimate:
    part, whole = (np.concatenate(columns) for columns in zip(*map(parts, posts), strict=True))
    views = np.concatenate([group.views for group in posts]) if unit == QualityUnit.VIEWS else None
    chances = np.concatenate([group.chance for group in posts])
    return estimates.ratio(part=part, whole=whole, chances=chances, weights=views, looks=looks)


def _parts(posts: LabelledPosts, *, measure: Measure) -> tuple[Flags, Flags]:
    """Return the two columns whose weighted sums a measure divides."""
    spam, removed, allowed = posts.is_spam, posts.is_removed, posts.is_allowed
    everything = np.ones(len(posts), dtype=bool)
    columns: Mapping[Measure, tuple[Flags, Flags]] = {
        Measure.PRECISION: (spam & removed, removed),
        Measure.MISSED: (spam & allowed, allowed),
        Measure.RECALL: (spam & removed, spam),
        Measure.PREVALENCE: (spam, everything),
        Measure.FALSE_ALARMS: (~spam & removed, ~spam),
    }
    return columns[measure]


def _column(posts: LabelledPosts, dimension: Dimension) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    columns = {
        Dimension.LANGUAGE: posts.language,
        Dimension.REASON: np.where(posts.is_spam, posts.reason, ""),
        Dimension.ROUTE: posts.automatic,
        Dimension.RELEASE: posts.release_id,
        Dimension.LANGUAGE_RELEASE: [
            f"{language}:{release or ''}"
            for language, release in zip(posts.language, posts.release_id, strict=True)
        ],
    }
    return np.asarray(columns[dimension], dtype=object)


def _starts(posts: LabelledPosts, *, days: int) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.asarray([_start(moment, days=days) for moment in posts.scored_at], dtype=object)


def _start(moment: datetime, *, days: int) -> datetime:
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day if days == 1 else day - timedelta(days=day.weekday())


_LEAST: Mapping[Measure, Callable[[LabelledPosts], Flags]] = {
    Measure.PRECISION: lambda posts: np.zeros(len(posts), dtype=bool),
    Measure.MISSED: lambda posts: np.zeros(len(posts), dtype=bool),
    Measure.PREVALENCE: lambda posts: np.zeros(len(posts), dtype=bool),
    Measure.RECALL: lambda posts: ~posts.is_removed,
    Measure.FALSE_ALARMS: lambda posts: posts.is_removed,
}
"""Which of the posts are spam where the measure is least; where the others are, it is greatest."""

_SLICED: Mapping[Dimension, tuple[Measure, ...]] = {
    Dimension.LANGUAGE: tuple(Measure),
    Dimension.REASON: (Measure.RECALL,),
    Dimension.ROUTE: (Measure.PREVALENCE,),
    Dimension.RELEASE: tuple(Measure),
    Dimension.LANGUAGE_RELEASE: tuple(Measure),
}
