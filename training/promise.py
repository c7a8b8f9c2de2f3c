"""The promise of a release on texts, and whether it holds: a row for each figure.

Labelled texts, each in ten circumstances that know nothing of its label (circumstances.py): what surrounds a
text must not make the verdict worse than content alone.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.routing import Route
from training import served_content
from training.circumstances import CIRCUMSTANCES
from training.compare import Floats, calibration_error
from training.labelled_posts import LabelledPost

SURE = 0.95
PREVALENCE = 0.01
KEPT, BROKEN, WITHIN, UNKNOWN = "kept", "**not kept**", "within the interval", "not measured"
SHARE = "{:.1%}"
_RESAMPLES = 300

Bools = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure with its 95 % interval; the promise is that it lies from `least` to `most`."""

    title: str
    texts: int
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    form: str = SHARE
    least: float = -math.inf
    most: float = math.inf
    note: str = ""

    @property
    def verdict(self) -> str:
        """Say whether the promise is kept: certainly, certainly not, or within the interval."""
        if not self.promise or math.isnan(self.value):
            return UNKNOWN if self.promise else ""
        if self.low > self.most or self.high < self.least:
            return BROKEN
        return KEPT if self.least <= self.low and self.high <= self.most else WITHIN

    @property
    def promise(self) -> str:
        """Return the bound as it is printed; empty without one."""
        if math.isfinite(self.least):
            return f"≥ {self.said(self.least)}"
        return f"≤ {self.said(self.most)}" if math.isfinite(self.most) else ""

    def said(self, value: float) -> str:
        """Return a figure as it is printed."""
        return said(value, form=self.form)


def said(value: float, *, form: str) -> str:
    """Return a figure as it is printed; NaN, where there is nothing to measure, as `none`."""
    return "none" if math.isnan(value) else form.format(value)


def measured(
    title: str,
    groups: Sequence[Hashable] | NDArray[np.int_],
    measure: Callable[[Rows], float],
    **told: Any,
) -> Row:
    """Measure all rows, and resamples of whole groups for the interval; `told` are the row's other fields."""
    draws = group_draws(groups, seed=1, resamples=_RESAMPLES) if len(groups) else []
    low, high = interval([measure(rows) for rows in draws])
    value = measure(np.arange(len(groups)))
    return Row(title=title, texts=len(groups), value=value, low=low, high=high, **told)


def interval(drawn: Iterable[float]) -> tuple[float, float]:
    """Return the 95 % interval of resampled values, NaN without finite ones."""
    finite = [value for value in drawn if not math.isnan(value)]
    low, high = np.percentile(finite, [2.5, 97.5]).tolist() if finite else (math.nan, math.nan)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of the texts in one circumstance; arrays of one length, `groups` of near-duplicates."""

    is_spam: Bools
    content: Floats
    probabilities: Floats
    is_allowed: Bools
    is_removed: Bools
    groups: NDArray[np.int_]

    def taken(self, rows: Rows) -> "Outcome":
        """Return the chosen texts, repeats included."""
        return Outcome(**{name: getattr(self, name)[rows] for name in Outcome.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A release's promise in every circumstance: its measure, wording, and bound."""

    title: str
    measure: Callable[[Outcome], float]
    bound: float
    form: str = SHARE
    higher_is_better: bool = False

    @property
    def told(self) -> str:
        """Return the promise in words and figure."""
        return f"{self.title} {'≥' if self.higher_is_better else '≤'} {said(self.bound, form=self.form)}"

    def reaches(self, value: float, bound: float) -> bool:
        """Tell whether a figure is at least as good; NaN, with nothing to measure, always is."""
        return not (value < bound if self.higher_is_better else value > bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """The circumstance in which a promise fares worst."""

    circumstance: str
    value: float
    is_kept: bool


def let_through(outcome: Outcome) -> float:
    """Return the share of the spam that is allowed."""
    return share(outcome.is_allowed[outcome.is_spam])


def held(outcome: Outcome) -> float:
    """Return the share of the honest posts that are not allowed."""
    return share(~outcome.is_allowed[~outcome.is_spam])


def removal_precision(outcome: Outcome) -> float:
    """Return the share of spam among what is removed, NaN if nothing is."""
    return share(outcome.is_spam[outcome.is_removed])


def _sure_spam_allowed(outcome: Outcome) -> float:
    return float((outcome.is_allowed & outcome.is_spam & (outcome.content >= SURE)).sum())


def _calibration_error(outcome: Outcome) -> float:
    return calibration_error(outcome.is_spam.astype(np.float64), outcome.probabilities)


def _gain_on_content(outcome: Outcome) -> float:
    return roc_auc(outcome.is_spam, outcome.probabilities) - roc_auc(outcome.is_spam, outcome.content)


def _spam_among_allowed(outcome: Outcome) -> float:
    """The share if one post of a hundred is spam."""
    missed, passed = PREVALENCE * let_through(outcome), (1.0 - PREVALENCE) * (1.0 - held(outcome))
    return missed / (missed + passed) if missed + passed else math.nan


PROMISES = (
    Promise(
        title=f"sure spam (content ≥ {SURE}) allowed",
        measure=_sure_spam_allowed,
        bound=0.0,
        form="{:.0f}",
    ),
    Promise(title="spam let through", measure=let_through, bound=0.08),
    Promise(title="honest held", measure=held, bound=0.08),
    Promise(title="precision of removal", measure=removal_precision, bound=0.98, higher_is_better=True),
    Promise(title="calibration error", measure=_calibration_error, bound=0.03, form="{:.3f}"),
    Promise(
        title="ROC-AUC above content's",
        measure=_gain_on_content,
        bound=-0.002,
        form="{:+.4f}",
        higher_is_better=True,
    ),
    Promise(
        title=f"spam among the allowed at {PREVALENCE:.0%} prevalence",
        measure=_spam_among_allowed,
        bound=0.0015,
        form="{:.2%}",
    ),
)


def outcomes_of(posts: Sequence[LabelledPost], *, scorer: Scorer, seed: int) -> dict[str, Outcome]:
    """Return the outcome of the texts in each circumstance. Raises content.Unavailable."""
    posts = [post for post in posts if post.record.text.strip()]
    content = served_content.ask([post.record.text for post in posts], content=scorer.content)
    outcomes = {}
    for place, (name, circumstance) in enumerate(CIRCUMSTANCES.items()):
        random = np.random.default_rng([seed, place])
        records = [circumstance(post.record, random) for post in posts]
        outcomes[name] = _outcome(records, posts=posts, content=content, scorer=scorer)
    return outcomes


def outcome_of(posts: Sequence[LabelledPost], *, scorer: Scorer) -> Outcome:
    """Return the outcome of posts as they are. Raises content.Unavailable."""
    content = served_content.ask([post.record.text for post in posts], content=scorer.content)
    return _outcome([post.record for post in posts], posts=posts, content=content, scorer=scorer)


def roc_auc(is_spam: Bools | Floats, probabilities: Floats) -> float:
    """Return the chance that a spam post ranks above another, ties half; NaN without both sorts."""
    spam = int(is_spam.sum())
    others = len(is_spam) - spam
    if not spam or not others:
        return math.nan
    ranks = rankdata(probabilities)[is_spam == 1]
    return float((ranks.sum() - spam * (spam + 1) / 2.0) / (spam * others))


def group_draws(groups: Iterable[Hashable], *, seed: int, resamples: int) -> list[Rows]:
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
    return [_worst(promise, outcomes=outcomes) for promise in PROMISES]


def _worst(promise: Promise, *, outcomes: Mapping[str, Outcome]) -> Worst:
    values = {name: promise.measure(outcome) for name, outcome in outcomes.items()}
    sign = 1.0 if promise.higher_is_better else -1.0
    name = min(values, key=lambda key: math.inf if math.isnan(values[key]) else sign * values[key])
    return Worst(circumstance=name, value=values[name], is_kept=promise.reaches(values[name], promise.bound))


def _outcome(
    records: Sequence[PostRecord], *, posts: Sequence[LabelledPost], content: Floats, scorer: Scorer
) -> Outcome:
    probabilities, ways = scorer.routed(records, content_probabilities=content)
    routes = np.array(ways)
    return Outcome(
        is_spam=np.array([post.is_spam for post in posts]),
        content=content,
        probabilities=probabilities,
        is_allowed=routes == Route.ALLOW,
        is_removed=routes == Route.REMOVE,
        groups=np.unique([post.group for post in posts], return_inverse=True)[1],
    )


def share(flags: Bools | Floats) -> float:
    """Return the mean of flags, or of numbers; NaN without any."""
    return float(flags.mean()) if len(flags) else float("nan")
