"""Two releases' spam probabilities on the same posts: ranking, recall and calibration.

Intervals come from a bootstrap over groups, with the same draws for both releases, so that the difference has
less variance than each value.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.gate import ENOUGH_HAM, ENOUGH_SPAM
from training.labelled_posts import DECIDED_ON, LabelledPost

Floats = NDArray[np.float64]
Metric = Callable[[Floats, Floats, Floats | float], float]

RESAMPLES = 500
FALSE_POSITIVE_RATE = 0.01
_ENOUGH_DECIDED = 5
"""Per class: a platform's few decisions count, too, since only a significant loss blocks a release.
"""
_BINS = 10
_LARGE_CAMPAIGN = 5


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Posts with both releases' spam probabilities, as arrays of one length."""

    posts: Sequence[LabelledPost]
    live: Floats
    candidate: Floats

    @property
    def is_spam(self) -> Floats:
        """Return the truth as float64 (n,), 1 for spam."""
        return np.array([post.is_spam for post in self.posts], dtype=np.float64)

    @property
    def weights(self) -> Floats:
        """Return the number of posts that each one represents."""
        return np.array([post.weight for post in self.posts])

    def taken(self, chosen: NDArray[np.bool_]) -> "Sample":
        """Return the chosen posts."""
        posts = [post for post, is_chosen in zip(self.posts, chosen, strict=True) if is_chosen]
        return Sample(posts=posts, live=self.live[chosen], candidate=self.candidate[chosen])


def joined(samples: Sequence[Sample]) -> Sample:
    """Return the posts of several samples as one."""
    return Sample(
        posts=[post for sample in samples for post in sample.posts],
        live=np.concatenate([sample.live for sample in samples]),
        candidate=np.concatenate([sample.candidate for sample in samples]),
    )


def slices(sample: Sample, *, seed: int) -> list[dict[str, Any]]:
    """Measure all posts, each source, each language and the campaigns; JSON values, None for unknown."""
    rows = [_slice(part, by=by, name=name, seed=seed) for by, name, part in _parts(sample)]
    return [*rows, _campaigns(sample, seed=seed)]


def caught(sample: Sample, *, held: float, seed: int) -> dict[str, Any]:
    """Compare the recall where both releases hold the same share of the honest posts, in [0, 1]."""
    return _compared(*_drawn(sample, measure=functools.partial(recall_at, rate=held), seed=seed))


def pr_auc(is_spam: Floats, probabilities: Floats, weights: Floats | float = 1.0) -> float:
    """Return the weighted average precision; NaN without both classes."""
    caught, wronged = _cumulated(is_spam, probabilities, weights)
    if not caught[-1] or not wronged[-1]:
        return math.nan
    precision = caught / np.maximum(caught + wronged, 1e-12)
    return float(np.sum(np.diff(caught / caught[-1], prepend=0.0) * precision))


def recall_at_1_fpr(is_spam: Floats, probabilities: Floats, weights: Floats | float = 1.0) -> float:
    """Return the recall at the lowest threshold with a false positive rate of at most 1 %."""
    return recall_at(is_spam, probabilities, weights, rate=FALSE_POSITIVE_RATE)


def recall_at(is_spam: Floats, probabilities: Floats, weights: Floats | float = 1.0, *, rate: float) -> float:
    """Return the recall at the lowest threshold with a false positive rate of at most `rate`."""
    caught, wronged = _cumulated(is_spam, probabilities, weights)
    if not caught[-1] or not wronged[-1]:
        return math.nan
    allowed = wronged / wronged[-1] <= rate
    return float((caught / caught[-1])[allowed].max(initial=0.0))


def calibration_error(is_spam: Floats, probabilities: Floats, weights: Floats | float = 1.0) -> float:
    """Return the expected calibration error over ten equal bins: mean |said - was|, weighted.

    Guo et al., On Calibration of Neural Networks, 2017.
    """
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(bins, weights=weights * (probabilities - is_spam), minlength=_BINS)
    return float(np.abs(gaps).sum() / np.broadcast_to(weights, len(is_spam)).sum())


def threshold_at_1_fpr(sample: Sample, probabilities: Floats) -> float:
    """Return the lowest threshold with a false positive rate of at most 1 %."""
    order = np.argsort(-probabilities, kind="stable")
    wronged = np.cumsum((sample.weights * (1.0 - sample.is_spam))[order])
    allowed = np.flatnonzero(wronged / max(wronged[-1], 1e-12) <= FALSE_POSITIVE_RATE)
    if not len(allowed):
        return math.inf
    reached = float(probabilities[order][allowed[-1]])
    # A tie across the limit would exceed it: then only higher probabilities count.
    wrongs = (sample.weights * (1.0 - sample.is_spam))[probabilities >= reached].sum()
    return reached if wrongs / wronged[-1] <= FALSE_POSITIVE_RATE else float(np.nextafter(reached, 2.0))


def curves(sample: Sample, probabilities: Floats) -> dict[str, list[list[float]]]:
    """Return at most 200 points of each curve: [recall, precision], [false positive rate, recall], and
    [said, was, share of posts] of each calibration bin.
    """
    caught, wronged = _cumulated(sample.is_spam, probabilities, sample.weights)
    places = np.unique(np.linspace(0, len(caught) - 1, 200).astype(int))
    recall = (caught / max(caught[-1], 1e-12))[places]
    precision = (caught / (caught + wronged))[places]
    false_positive_rate = (wronged / max(wronged[-1], 1e-12))[places]
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    share = np.bincount(bins, weights=sample.weights, minlength=_BINS)
    filled = share > 0
    predicted, actual = (
        np.bincount(bins, weights=sample.weights * values, minlength=_BINS)[filled] / share[filled]
        for values in (probabilities, sample.is_spam)
    )
    return {
        "precision_recall": np.stack([recall, precision], axis=1).tolist(),
        "roc": np.stack([false_positive_rate, recall], axis=1).tolist(),
        "calibration": np.stack([predicted, actual, share[filled] / share.sum()], axis=1).tolist(),
    }


_METRICS: dict[str, Metric] = {
    "pr_auc": pr_auc,
    "recall_at_1_fpr": recall_at_1_fpr,
    "calibration_error": calibration_error,
}


def _cumulated(is_spam: Floats, probabilities: Floats, weights: Floats | float) -> tuple[Floats, Floats]:
    """Return weight of spam and of the rest at or above each distinct probability, the highest first."""
    order = np.argsort(-probabilities, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(probabilities[order])), len(order) - 1)
    caught = np.cumsum((weights * is_spam)[order])[ends]
    wronged = np.cumsum((weights * (1.0 - is_spam))[order])[ends]
    return caught, wronged


def _parts(sample: Sample) -> Iterator[tuple[str, str, Sample]]:
    yield "all", "all", sample
    for by in ("source", "language"):
        names = np.array([getattr(post, by) for post in sample.posts])
        for name in sorted(set(names)):
            yield by, str(name), sample.taken(names == name)


def _slice(part: Sample, *, by: str, name: str, seed: int) -> dict[str, Any]:
    spam = int(part.is_spam.sum())
    return {
        "by": by,
        "name": name,
        "rows": len(part.posts),
        "spam": spam,
        "is_gated": _is_gated(spam, len(part.posts) - spam, is_decided=name.startswith(DECIDED_ON)),
        "metrics": {
            metric: _compared(*_drawn(part, measure=measure, seed=seed))
            for metric, measure in _METRICS.items()
        },
    }


def _is_gated(spam: int, honest: int, *, is_decided: bool) -> bool:
    if is_decided:
        return min(spam, honest) >= _ENOUGH_DECIDED
    return spam >= ENOUGH_SPAM and honest >= ENOUGH_HAM


def _drawn(part: Sample, *, measure: Metric, seed: int) -> list[Floats]:
    """Measure both releases on all posts and on each resample."""
    is_spam = part.is_spam
    measures = [
        [measure(is_spam, probabilities, weights) for probabilities in (part.live, part.candidate)]
        for weights in (part.weights, *_draws(part, seed=seed))
    ]
    return list(np.array(measures).T)


def _campaigns(sample: Sample, *, seed: int) -> dict[str, Any]:
    """Measure the mean recall over campaigns, each counting once, at the threshold of all posts."""
    groups = np.array([post.group for post in sample.posts])
    spam_groups, counts = np.unique(groups[sample.is_spam == 1.0], return_counts=True)
    large = spam_groups[counts >= _LARGE_CAMPAIGN]
    recalls = {}
    for release in ("live", "candidate"):
        probabilities: Floats = getattr(sample, release)
        caught = probabilities >= threshold_at_1_fpr(sample, probabilities)
        recalls[release] = np.array(
            [caught[(groups == group) & (sample.is_spam == 1.0)].mean() for group in large]
        )
    random = np.random.default_rng(seed)
    samples = random.integers(max(len(large), 1), size=(RESAMPLES, len(large)))
    means = [
        np.array([_mean(recall), *(_mean(recall[rows]) for rows in samples)])
        for recall in (recalls["live"], recalls["candidate"])
    ]
    return {
        "by": "campaign",
        "name": f"mean of {len(large)} with {_LARGE_CAMPAIGN} or more posts",
        "rows": int(np.isin(groups, large).sum()),
        "spam": int((np.isin(groups, large) & (sample.is_spam == 1.0)).sum()),
        "is_gated": len(large) >= ENOUGH_SPAM,
        "metrics": {"recall_at_1_fpr": _compared(*means)},
        "largest": _largest(large, counts[counts >= _LARGE_CAMPAIGN], recalls),
    }


def _largest(large: NDArray[Any], counts: NDArray[Any], recalls: dict[str, Floats]) -> list[dict[str, Any]]:
    """Return the twenty largest campaigns, each with both releases' recall."""
    return [
        {
            "campaign": str(large[place]),
            "spam": int(counts[place]),
            **{release: float(recall[place]) for release, recall in recalls.items()},
        }
        for place in np.argsort(-counts, kind="stable")[:20]
    ]


def _compared(live: Floats, candidate: Floats) -> dict[str, Any]:
    """Return both values with their intervals; index 0 holds the value, the rest the resamples."""
    return {
        "live": _known(live[0]),
        "candidate": _known(candidate[0]),
        "live_interval": _interval(live[1:]),
        "candidate_interval": _interval(candidate[1:]),
        "difference_interval": _interval(candidate[1:] - live[1:]),
    }


def _interval(drawn: Floats) -> list[float | None]:
    """Return the 95 % interval, [None, None] where too few resamples hold both classes."""
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < RESAMPLES / 2:
        return [None, None]
    return [float(bound) for bound in np.percentile(finite, [2.5, 97.5])]


def _draws(part: Sample, *, seed: int) -> Iterator[Floats]:
    """Yield the weights of resamples of whole groups: near-duplicates are one observation, not many."""
    groups, members = np.unique([post.group for post in part.posts], return_inverse=True)
    random = np.random.default_rng(seed)
    drawn = [
        random.multinomial(len(groups), np.full(len(groups), 1.0 / len(groups))) for _ in range(RESAMPLES)
    ]
    return ((part.weights * counts[members]) for counts in drawn)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
