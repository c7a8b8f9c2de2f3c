"""What a release promises whatever a text stands in, and how far it keeps it.

Labelled texts, each in ten circumstances that know nothing of its label (circumstances.py). Content alone
stands beside it: what surrounds a text must not make the verdict worse.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.pipeline import ContentProtocol, Scorer
from scoring.records import PostRecord
from scoring.routing import Route
from scoring.training.circumstances import CIRCUMSTANCES
from scoring.training.compare import Floats, calibration_error
from scoring.training.labelled_posts import LabelledPost

SURE = 0.95
PREVALENCE = 0.01
_RESAMPLES = 300
_BATCH = 64
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
    content = _asked(posts, content=scorer.content)
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


def _figures(outcome: Outcome, *, seed: int) -> Iterator[Figure]:
    draws = [outcome.taken(rows) for rows in _group_draws(outcome.groups, seed=seed)]
    peer = roc_auc(outcome.is_spam, outcome.content)
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


def _asked(posts: Sequence[LabelledPost], *, content: ContentProtocol) -> Floats:
    texts = [post.record.text for post in posts]
    answers = [content.probabilities(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    return np.concatenate(answers)


def _group_draws(groups: NDArray[np.int_], *, seed: int) -> list[NDArray[np.intp]]:
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    random = np.random.default_rng(seed)
    return [
        np.concatenate([members[place] for place in random.integers(len(members), size=len(members))])
        for _ in range(_RESAMPLES)
    ]


def _share(flags: Bools) -> float:
    return float(flags.mean()) if len(flags) else float("nan")
