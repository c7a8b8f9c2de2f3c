"""What thresholds would do, estimated from labels whose chance of being drawn is known, with intervals.

Shares come from labels of posts that the live models scored, each weighed by 1 over its chance; numbers a day
are these shares of counted posts. Posts that a human has to see for another reason than the thresholds stay
with humans.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from moderation.models import Platform
from moderation.models.scores import RouteChoice
from moderation.queries.cases import pace
from moderation.queries.cases.pace import CaseTime
from moderation.queries.learning import dry_run, traffic
from moderation.queries.learning.dry_run import DryRun
from moderation.queries.learning.traffic import STEPS, Subject, Traffic
from moderation.queries.quality import estimates
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.labelled_posts import LabelledPosts, labelled_posts
from scoring.release import Thresholds

HOURS_OF_REVIEW = 6
"""Hours that a person reviews in a working day."""

CONFIDENCE = 0.95
"""With which a promise of precision is kept."""

GRID = (*(place / 1_000 for place in range(500, 1_000, 25)), 0.99, 0.995)
"""Removal thresholds that are tried for a promise: fixed before anybody sees a label."""

_REMOVALS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99)

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a mistake costs, and a minute of a reviewer's time, in any unit."""

    missed_spam: float = 1.0
    wrong_removal: float = 5.0
    minute: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Labels as the simulation reads them; `is_forced` where a human has to see the post anyway."""

    probability: Numbers
    is_spam: Flags
    chance: Numbers
    is_forced: Flags

    def __len__(self) -> int:
        return len(self.is_spam)


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What every point is computed from; `seconds` is the time that a case takes, None if unknown."""

    labels: Sample
    counted: Traffic
    seconds: float | None
    costs: Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class PerDay:
    """A number a day with its interval; None with too few labels."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What thresholds do. Shares are of posts; `people` and `cost` are None where something is unknown.

    So is recall where posts would be removed or let through of whose kind too few have labels.
    """

    thresholds: Thresholds
    precision: Estimate
    recall: Estimate
    missed: Estimate
    missed_per_day: PerDay
    wrong_per_day: PerDay
    cases_per_day: float
    people: float | None
    cost: float | None

    @property
    def cases_per_hour(self) -> float:
        """Cases an hour, around the clock."""
        return self.cases_per_day / 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Thresholds side by side; `cheapest` is None where no cost is known.

    `curve` has the chosen thresholds with other beginnings of removal. `promised_from` is the lowest removal
    threshold of `GRID` that keeps the promised precision, None if none is proved.
    """

    basis: Basis
    time: CaseTime
    live: Point
    chosen: Point
    cheapest: Point | None
    curve: tuple[Point, ...]
    promised_from: float | None
    dry_run: DryRun


def simulate(
    about: Subject, *, wanted: Thresholds, days: int, costs: Costs, precision: float, at: datetime
) -> Simulation:
    """Simulate thresholds on the labels of the last `days`; `precision` is what removal promises."""
    labels, time = sample(about, days=days, at=at), pace.case_time(at=at)
    basis = Basis(labels=labels, counted=traffic.traffic(about, at=at), seconds=time.seconds, costs=costs)
    lowest = cheapest(wanted, basis=basis)
    return Simulation(
        basis=basis,
        time=time,
        live=point(about.thresholds, basis=basis),
        chosen=point(wanted, basis=basis),
        cheapest=point(lowest, basis=basis) if lowest else None,
        curve=tuple(_curve(wanted, basis=basis)),
        promised_from=keeps_promise(labels, precision=precision),
        dry_run=dry_run.count(about, wanted=wanted, at=at),
    )


def sample(about: Subject, *, days: int, at: datetime) -> Sample:
    """Read the labels of posts that the live models scored in a period."""
    since = at - timedelta(days=days)
    platform = about.platform.pk if about.platform else None
    found = labelled_posts(since=since, until=at, platform_id=platform)
    if about.others:
        elsewhere = Platform.objects.filter(slug__in=about.others).values_list("pk", flat=True)
        found = found.where(~np.isin(found.platform_id, list(elsewhere)))
    return of_posts(found, about=about)


def of_posts(found: LabelledPosts, *, about: Subject) -> Sample:
    """Keep the labels on scores of the live models."""
    ours = found.where(np.isin(found.release_id.astype(str), about.releases))
    now = about.thresholds
    probability = ours.spam_probability
    is_between = (probability >= now.review_from) & (probability < now.remove_from)
    is_review = ~(ours.is_removed | ours.is_allowed)
    return Sample(
        probability=probability,
        is_spam=ours.is_spam,
        chance=ours.chance,
        is_forced=is_review & ~is_between,
    )


def point(thresholds: Thresholds, *, basis: Basis) -> Point:
    """Estimate what thresholds would do."""
    labels, counted, seconds = basis.labels, basis.counted, basis.seconds
    removed, allowed = _removed(labels, thresholds.remove_from), _allowed(labels, thresholds.review_from)
    precision = _share(labels, part=removed & labels.is_spam, whole=removed)
    missed = _share(labels, part=allowed & labels.is_spam, whole=allowed)
    recall = _share(labels, part=removed & labels.is_spam, whole=labels.is_spam)
    by_route = (counted.removed(thresholds), precision), (counted.allowed(thresholds), missed)
    if any(posts and found.value is None for posts, found in by_route):
        recall = estimates.unknown(labels=recall.labels)
    cases = counted.cases(thresholds) / counted.days
    missed_per_day = _per_day(missed, of=counted.allowed(thresholds) / counted.days)
    wrong = Estimate(
        value=None if precision.value is None else 1 - precision.value,
        low=1 - precision.high,
        high=1 - precision.low,
        labels=precision.labels,
    )
    wrong_per_day = _per_day(wrong, of=counted.removed(thresholds) / counted.days)
    return Point(
        thresholds=thresholds,
        precision=precision,
        recall=recall,
        missed=missed,
        missed_per_day=missed_per_day,
        wrong_per_day=wrong_per_day,
        cases_per_day=cases,
        people=None if seconds is None else cases * seconds / (HOURS_OF_REVIEW * 3600),
        cost=_cost(missed_per_day, wrong_per_day, cases=cases, basis=basis),
    )


def moved(route: str, low: float, high: float, *, basis: Basis, moves: DryRun) -> tuple[float, Estimate]:
    """Return how many more posts a day take a route, removal or let through, and the share of wrong ones.

    Negative if fewer do. Its threshold goes from one of these probabilities to the other.
    """
    gained = sum(one.posts * ((one.after == route) - (one.before == route)) for one in moves.changes)
    labels, (low, high) = basis.labels, sorted((low, high))
    between = ~labels.is_forced & (labels.probability >= low) & (labels.probability < high)
    is_wrong = labels.is_spam == (route == RouteChoice.ALLOW)
    return gained / basis.counted.days, _share(labels, part=between & is_wrong, whole=between)


def cheapest(now: Thresholds, *, basis: Basis) -> Thresholds | None:
    """Return the thresholds with the lowest estimated cost; None where a part of that cost is not known.

    What review begins with decides on missed spam, what removal begins with on wrong removals, and every post
    between is a case: the cost is a sum of two parts, so the best of every pair of thousandths is found.
    """
    labels, counted, seconds, costs = basis.labels, basis.counted, basis.seconds, basis.costs
    if len(labels) < estimates.FEWEST_SHOWN or seconds is None or not counted.posts:
        return None
    case = seconds / 60 * costs.minute * (1 - now.audit_rate)
    steps = np.arange(STEPS + 1) / STEPS
    weight = 1 / labels.chance
    free = ~labels.is_forced
    spam = np.histogram(labels.probability, bins=_EDGES, weights=weight * (free & labels.is_spam))[0]
    every = np.histogram(labels.probability, bins=_EDGES, weights=weight * free)[0]
    scale = counted.free.sum() / max(every.sum(), 1e-12)
    below = np.concatenate(([0.0], np.cumsum(counted.free)[:-1]))
    letting = np.concatenate(([0.0], np.cumsum(spam)[:-1])) * scale * costs.missed_spam - below * case
    honest = (every - spam)[::-1].cumsum()[::-1] * scale
    removing = honest * costs.wrong_removal - (counted.free.sum() - below) * case
    # Where hardly a post was labelled nothing seems to cost anything, and the search would run there; or to
    # an end of the scale, beyond which there is no post to be wrong about.
    seen = np.histogram(labels.probability[free], bins=_EDGES)[0]
    seen_below = np.concatenate(([0.0], np.cumsum(seen)[:-1]))
    letting[seen_below < estimates.FEWEST_SHOWN] = np.inf
    removing[seen.sum() - seen_below < estimates.FEWEST_SHOWN] = np.inf
    best = np.minimum.accumulate(letting)
    remove = int(np.argmin(best + removing))
    if not np.isfinite(best[remove] + removing[remove]):
        return None
    review = int(np.argmin(letting[: remove + 1]))
    return Thresholds(
        review_from=float(steps[review]), remove_from=float(steps[remove]), audit_rate=now.audit_rate
    )


def keeps_promise(labels: Sample, *, precision: float, confidence: float = CONFIDENCE) -> float | None:
    """Return the lowest removal threshold of `GRID` with at least this precision, None if none is proved.

    With probability `confidence` at least, every threshold that passes keeps the promise: learn then test
    (Angelopoulos et al., 2021), as MAPIE does it, with the error shared out among all that are tried. The
    test is the lower bound of the weighted estimate, so that all labels count, not the uniform ones alone.
    """
    alpha = 2 * (1 - confidence) / len(GRID)
    passed = []
    for remove_from in GRID:
        removed = _removed(labels, remove_from)
        found = _share(labels, part=removed & labels.is_spam, whole=removed, alpha=alpha)
        if found.value is not None and found.low >= precision:
            passed.append(remove_from)
    return min(passed, default=None)


def _curve(wanted: Thresholds, *, basis: Basis) -> list[Point]:
    steps = sorted({*(one for one in _REMOVALS if one >= wanted.review_from), wanted.remove_from})
    return [point(replace(wanted, remove_from=one), basis=basis) for one in steps]


_EDGES = np.append(np.arange(STEPS + 1) / STEPS, 1.001)


def _removed(labels: Sample, remove_from: float) -> Flags:
    return np.asarray(~labels.is_forced & (labels.probability >= remove_from), dtype=bool)


def _allowed(labels: Sample, review_from: float) -> Flags:
    return np.asarray(~labels.is_forced & (labels.probability < review_from), dtype=bool)


def _share(labels: Sample, *, part: Flags, whole: Flags, alpha: float = 0.05) -> Estimate:
    return estimates.ratio(part=part, whole=whole, chances=labels.chance, alpha=alpha)


def _per_day(share: Estimate, *, of: float) -> PerDay:
    value = 0.0 if not of else None if share.value is None else share.value * of
    return PerDay(value=value, low=share.low * of, high=share.high * of)


def _cost(missed: PerDay, wrong: PerDay, *, cases: float, basis: Basis) -> float | None:
    if missed.value is None or wrong.value is None or basis.seconds is None:
        return None
    costs = basis.costs
    mistakes = missed.value * costs.missed_spam + wrong.value * costs.wrong_removal
    return mistakes + cases * basis.seconds / 60 * costs.minute
