"""Two models on the same texts: gains and losses by source, with their intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from training import evaluate, promise
from training.dataset import Example
from training.evaluate import Floats

_SEED = 1


@dataclass(frozen=True, kw_only=True)
class Change:
    """One metric of one source: both values, and the 95 % interval of `after` less `before` over groups.

    NaN where the source has one class only.
    """

    source: str
    texts: int
    spam: int
    metric: str
    before: float
    after: float
    low: float
    high: float


def by_source(examples: Sequence[Example], *, before: Floats, after: Floats) -> list[Change]:
    """Compare P(spam) of the same examples, float64 (n_examples,) each, on every source alone."""
    sources = np.array([example.source for example in examples])
    return [
        change
        for source in sorted(set(sources.tolist()))
        for change in _of_source(
            [examples[row] for row in np.flatnonzero(sources == source)],
            before=before[sources == source],
            after=after[sources == source],
        )
    ]


def table(changes: Sequence[Change]) -> Iterator[str]:
    """Write the comparison as a table in Markdown."""
    yield "| source | texts (spam) | metric | before | after | difference (95 % interval) |"
    yield "|---|---|---|---|---|---|"
    for row in changes:
        yield (
            f"| {row.source} | {row.texts:,} ({row.spam:,}) | {row.metric} | {row.before:.3f} "
            f"| {row.after:.3f} | {row.after - row.before:+.3f} ({row.low:+.3f} to {row.high:+.3f}) |"
        )


def _of_source(examples: Sequence[Example], *, before: Floats, after: Floats) -> Iterator[Change]:
    labels = np.array([example.label for example in examples], dtype=np.float64)
    groups = [example.group for example in examples]
    draws = promise.group_draws(groups, seed=_SEED, resamples=evaluate.RESAMPLES)
    for name, measure in evaluate.METRICS.items():
        low, high = promise.interval(
            measure(labels[rows], after[rows]) - measure(labels[rows], before[rows]) for rows in draws
        )
        yield Change(
            source=examples[0].source,
            texts=len(examples),
            spam=int(labels.sum()),
            metric=name,
            before=measure(labels, before),
            after=measure(labels, after),
            low=low,
            high=high,
        )
