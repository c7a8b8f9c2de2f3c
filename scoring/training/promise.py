"""The promise of a release on texts in all circumstances, and whether it holds.

Labelled texts, each in ten circumstances that know nothing of its label (circumstances.py). Content alone
stands beside it: what surrounds a text must not make the verdict worse.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.routing import Route
from scoring.training import served_content
from scoring.training.circumstances import CIRCUMSTANCES
from scoring.training.compare import Floats, calibration_error
from scoring.training.labelled_posts import LabelledPost

SURE = 0.95
PREVALENCE = 0.01
_RESAMPLES = 300
_PEER_FROM, _PEER_REMOVE = 0.15, 0.97
PEER = f"content alone, held from {_PEER_FROM}, removed from {_PEER_REMOVE}"

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the texts in one circumstance; arrays of one length, `groups` of near-duplicates."""

    is_spam: Bools
    content: Floats
    probabilities: Floats
    is_allowed: Bools
    is_removed: Bools
    groups: NDArray[np.int_]

    def taken(self, rows: NDArray[np.intp]) -> Outcome:
        """Return the chosen texts, repeats included."""
        return Outcome(**{name: getattr(self, name)[rows] for name in Outcome.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured figure with its 95 % interval; `is_kept` says whether the promise holds at the figure."""

    value: float
    low: float
    high: float
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A column of the table: how it is measured, said, and when it is kept beside content's own figure."""

    title: str
    measure: Callable[[Outcome], float]
    is_kept: Callable[[float, float], bool]
    form: str
    higher_is_better: bool = False

    def said(self, value: float) -> str:
        """Return a figure as it is printed; NaN, where there is nothing to measure, as `none`."""
        return "none" if math.isnan(value) else self.form.format(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """The circumstance in which a promise fares worst."""

    circumstance: str
    value: float
    is_kept: bool


def _sure_spam_allowed(outcome: Outcome) -> float:
    return float((outcome.is_allowed & outcome.is_spam & (outcome.content >= SURE)).sum())


def _let_through(outcome: Outcome) -> float:
    return _share(outcome.is_allowed[outcome.is_spam])


def _held(outcome: Outcome) -> float:
    return _share(~outcome.is_allowed[~outcome.is_spam])


def _removal_precision(outcome: Outcome) -> float:
    return _share(outcome.is_spam[outcome.is_removed])


def _calibration_error(outcome: Outcome) -> float:
    return calibration_error(
        outcome.is_spam.astype(np.float64), outcome.probabilities, np.ones(len(outcome.is_spam))
    )


def _roc_auc(outcome: Outcome) -> float:
    return roc_auc(outcome.is_spam, outcome.probabilities)


def _spam_among_allowed(outcome: Outcome) -> float:
    """What it comes to where one post of a hundred is spam."""
    missed, passed = PREVALENCE * _let_through(outcome), (1.0 - PREVALENCE) * (1.0 - _held(outcome))
    return missed / (missed + passed)


PROMISES = (
    Promise(
        title=f"sure spam (content ≥ {SURE}) allowed: 0",
        measure=_sure_spam_allowed,
        is_kept=lambda value, _: value == 0.0,
        form="{:.0f}",
    ),
    Promise(
        title="spam let through ≤ 8 %",
        measure=_let_through,
        is_kept=lambda value, _: value <= 0.08,
        form="{:.1%}",
    ),
    Promise(title="honest held ≤ 8 %", measure=_held, is_kept=lambda value, _: value <= 0.08, form="{:.1%}"),
    Promise(
        title="precision of removal ≥ 98 %",
        measure=_removal_precision,
        is_kept=lambda value, _: not value < 0.98,
        form="{:.1%}",
        higher_is_better=True,
    ),
    Promise(
        title="calibration error ≤ .03",
        measure=_calibration_error,
        is_kept=lambda value, _: value <= 0.03,
        form="{:.3f}",
    ),
    Promise(
        title="ROC-AUC at most .002 below content's",
        measure=_roc_auc,
        is_kept=lambda value, peer: value >= peer - 0.002,
        form="{:.4f}",
        higher_is_better=True,
    ),
    Promise(
        title=f"spam among the allowed at {PREVALENCE:.0%} prevalence ≤ .15 %",
        measure=_spam_among_allowed,
        is_kept=lambda value, _: value <= 0.0015,
        form="{:.2%}",
    ),
)


def outcomes_of(posts: Sequence[LabelledPost], *, scorer: Scorer, seed: int) -> dict[str, Outcome]:
    """Return what becomes of the texts in each circumstance. Raises content.Unavailable."""
    posts = [post for post in posts if post.record.text.strip()]
    content = served_content.ask([post.record.text for post in posts], content=scorer.content)
    found = {}
    for place, (name, circumstance) in enumerate(CIRCUMSTANCES.items()):
        random = np.random.default_rng([seed, place])
        records = [circumstance(post.record, random) for post in posts]
        found[name] = _outcome(records, posts=posts, content=content, scorer=scorer)
    return found


def peer_of(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return what content alone would do of the same texts, at thresholds of its own."""
    bare = next(iter(outcomes.values()))
    return dataclasses.replace(
        bare,
        probabilities=bare.content,
        is_allowed=bare.content < _PEER_FROM,
        is_removed=bare.content >= _PEER_REMOVE,
    )


def table(outcomes: dict[str, Outcome], *, seed: int = 1) -> dict[str, list[Figure]]:
    """Return every promise's figure for each circumstance, intervals from a bootstrap over groups."""
    return {name: list(_figures(outcome, seed=seed)) for name, outcome in outcomes.items()}


def roc_auc(is_spam: Bools, probabilities: Floats) -> float:
    """Return the chance that a spam post ranks above another, ties half; NaN without both sorts."""
    _, places, counts = np.unique(probabilities, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[places]
    spam = int(is_spam.sum())
    others = len(is_spam) - spam
    if not spam or not others:
        return float("nan")
    return float((ranks[is_spam].sum() - spam * (spam + 1) / 2.0) / (spam * others))


def group_draws(groups: Iterable[Hashable], *, seed: int, resamples: int) -> list[NDArray[np.intp]]:
    """Return the rows of each resample of whole groups: near-duplicates are one observation, not many."""
    members: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    rows_of = [np.array(rows, dtype=np.intp) for rows in members.values()]
    random = np.random.default_rng(seed)
    return [
        np.concatenate([rows_of[index] for index in random.integers(len(rows_of), size=len(rows_of))])
        for _ in range(resamples)
    ]


def worst(outcomes: Mapping[str, Outcome]) -> list[Worst]:
    """Return where each promise fares worst, in the order of PROMISES."""
    peer = _peer_roc_auc(next(iter(outcomes.values())))
    return [_worst(promise, outcomes=outcomes, peer=peer) for promise in PROMISES]


def is_no_worse(promise: Promise, value: float, *, than: float) -> bool:
    """Tell whether a figure is at least as good as another; NaN, nothing to measure, is as good as any."""
    return not (value < than if promise.higher_is_better else value > than)


def _worst(promise: Promise, *, outcomes: Mapping[str, Outcome], peer: float) -> Worst:
    values = {name: promise.measure(outcome) for name, outcome in outcomes.items()}
    sign = 1.0 if promise.higher_is_better else -1.0
    name = min(values, key=lambda one: math.inf if math.isnan(values[one]) else sign * values[one])
    return Worst(circumstance=name, value=values[name], is_kept=promise.is_kept(values[name], peer))


def _peer_roc_auc(outcome: Outcome) -> float:
    return roc_auc(outcome.is_spam, outcome.content)


def _figures(outcome: Outcome, *, seed: int) -> Iterator[Figure]:
    draws = [
        outcome.taken(rows) for rows in group_draws(outcome.groups.tolist(), seed=seed, resamples=_RESAMPLES)
    ]
    peer = _peer_roc_auc(outcome)
    for promise in PROMISES:
        value = promise.measure(outcome)
        drawn = [figure for figure in map(promise.measure, draws) if not math.isnan(figure)]
        low, high = np.percentile(drawn, [2.5, 97.5]).tolist() if drawn else (math.nan, math.nan)
        yield Figure(value=value, low=low, high=high, is_kept=promise.is_kept(value, peer))


def _outcome(
    records: Sequence[PostRecord], *, posts: Sequence[LabelledPost], content: Floats, scorer: Scorer
) -> Outcome:
    routes = np.array(scorer.routes(records, content_probabilities=content))
    return Outcome(
        is_spam=np.array([post.is_spam for post in posts]),
        content=content,
        probabilities=scorer.spam_probabilities(records, content_probabilities=content),
        is_allowed=routes == Route.ALLOW,
        is_removed=routes == Route.REMOVE,
        groups=np.unique([post.group for post in posts], return_inverse=True)[1],
    )


def _share(flags: Bools) -> float:
    return float(flags.mean()) if len(flags) else float("nan")
