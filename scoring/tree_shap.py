"""TreeSHAP of a forest, looked up: what a leaf gives to each input on its path depends only on which of them
lead there, so all cases are worked out when a release is loaded.

Against a reference row (interventional), or path-dependent, both as in Lundberg et al., From local
explanations to global understanding with explainable AI for trees, Nature Machine Intelligence 2, 2020;
tables by leaf and case after Yang, Fast TreeSHAP, arXiv:2109.09847.
docs/adr/0012-contributions-are-looked-up.md says why shap's own code is not used.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, isnan, prod

import numpy as np
from numpy.typing import NDArray

from scoring.trees import LEAF, Floats, Forest, Tree

MAX_PATH_INPUTS = 8  # a bit of one byte each; a leaf has two to that power cases

_ROWS_AT_ONCE = 32  # what they look up stays in the processor's cache


class TreeShap:
    """Splits a forest's margins over its inputs. Safe to share between threads.

    `base` is the margin of `reference` (n_inputs,), and an input that equals it gets exactly 0; without a
    reference it is the mean margin of the training rows that the trees' covers count. Raises ValueError where
    the way to a leaf reads more than 8 inputs.
    """

    def __init__(self, forest: Forest, *, reference: Floats | None = None) -> None:
        leaves = [leaf for tree in forest.trees for leaf in _leaves(tree, reference=reference)]
        steps = [
            _Placed(leaf=place, bit=bit, step=step)
            for place, leaf in enumerate(leaves)
            for bit, step in enumerate(leaf.steps)
        ]
        steps.sort(key=lambda placed: placed.step.input)
        tables = _tables(leaves, width=_width(leaves))
        self.base = forest.base + sum(leaf.value * leaf.share for leaf in leaves)
        self._n_inputs = len(forest.inputs)
        self._cases = _Cases(steps, n_leaves=len(leaves))
        self._leaf = np.array([placed.leaf for placed in steps], dtype=np.intp)
        bit = np.array([placed.bit for placed in steps], dtype=np.intp)
        self._table = tables[self._leaf, bit].ravel()
        self._row = np.arange(len(steps)) * tables.shape[-1]
        # The steps of an input stand side by side, so that they can be summed from its first on.
        self._read, self._first = np.unique([placed.step.input for placed in steps], return_index=True)

    def shares(self, rows: Floats) -> Floats:
        """Return float64 (n, n_inputs) whose rows add up to margin - base; a row never affects another's."""
        shares = np.zeros((len(rows), self._n_inputs))
        if not len(self._read):
            return shares
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            cases = self._cases.of(rows[part])
            of_steps = self._table.take(self._row + cases[:, self._leaf])
            shares[part, self._read] = np.add.reduceat(of_steps, self._first, axis=1)
        return shares


@dataclass(frozen=True, slots=True)
class _Split:
    """A branch: left if x <= threshold, else right; `takes_unknown` if NaN goes the same way."""

    threshold: float
    is_left: bool
    takes_unknown: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """All branches of a path that ask the same input; `share` of the training rows that came took them, or 1
    if the reference takes them all, else 0.
    """

    input: int
    share: float
    splits: tuple[_Split, ...]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A leaf, with a step for each input that the path to it asks."""

    value: float
    steps: tuple[_Step, ...]

    @property
    def share(self) -> float:
        return prod(step.share for step in self.steps)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A step, its leaf's place among all of the forest, and its own bit in that leaf's case."""

    leaf: int
    bit: int
    step: _Step


class _Cases:
    """Tells which steps of each leaf a row takes: its case, a byte with a bit for each step.

    An input's steps can only tell apart between which of their thresholds a value lies, so the bits are kept
    for each such interval, and for NaN behind them.
    """

    def __init__(self, steps: Sequence[_Placed], *, n_leaves: int) -> None:
        columns: list[int] = []
        thresholds, bits = [np.zeros(0)], [np.zeros((0, n_leaves), dtype=np.uint8)]
        for column, group in itertools.groupby(steps, key=lambda placed: placed.step.input):
            alike = list(group)
            values = np.unique([split.threshold for placed in alike for split in placed.step.splits])
            masks = np.zeros((len(values) + 2, n_leaves), dtype=np.uint8)
            for placed in alike:
                masks[_intervals(placed.step, thresholds=values), placed.leaf] |= 1 << placed.bit
            columns.append(column)
            thresholds.append(values)
            bits.append(masks)
        self._read = np.array(columns, dtype=np.intp)
        self._thresholds, self._bits = np.concatenate(thresholds), np.concatenate(bits)
        sizes = np.array([len(values) for values in thresholds[1:]], dtype=np.intp)
        self._asked, self._first = np.repeat(self._read, sizes), np.cumsum(sizes) - sizes
        self._start, self._unknown = np.cumsum(sizes + 2) - (sizes + 2), sizes + 1

    def of(self, rows: Floats) -> NDArray[np.uint8]:
        """Return uint8 (n, n_leaves)."""
        # Strictly: a value that equals a threshold goes left, as when the trees are evaluated.
        below = np.add.reduceat(self._thresholds < rows[:, self._asked], self._first, axis=1, dtype=np.intp)
        interval = np.where(np.isnan(rows[:, self._read]), self._unknown, below)
        # A sum is an "or" here: within a leaf each input has a bit of its own.
        cases: NDArray[np.uint8] = self._bits[self._start + interval].sum(axis=1, dtype=np.uint8)
        return cases


def _leaves(
    tree: Tree, node: int = 0, steps: tuple[_Step, ...] = (), *, reference: Floats | None
) -> Iterator[_Leaf]:
    if tree.left[node] == LEAF:
        yield _Leaf(value=float(tree.value[node]), steps=steps)
        return
    column = int(tree.input[node])
    before = next((step for step in steps if step.input == column), _Step(input=column, share=1.0, splits=()))
    others = tuple(step for step in steps if step.input != column)
    for child, is_left in ((int(tree.left[node]), True), (int(tree.right[node]), False)):
        split = _Split(
            threshold=float(tree.threshold[node]),
            is_left=is_left,
            takes_unknown=bool(tree.missing[node] == child),
        )
        if reference is None:
            share = float(tree.cover[child] / tree.cover[node])
        else:
            share = float(_goes_left(split, float(reference[column])) == is_left)
        step = _Step(input=column, share=before.share * share, splits=(*before.splits, split))
        yield from _leaves(tree, child, (*others, step), reference=reference)


def _goes_left(split: _Split, value: float) -> bool:
    return split.takes_unknown == split.is_left if isnan(value) else value <= split.threshold


def _intervals(step: _Step, *, thresholds: Floats) -> NDArray[np.bool_]:
    """Tell for each interval between sorted thresholds, and for NaN behind them, if the step is taken."""
    mask = np.ones(len(thresholds) + 2, dtype=np.bool_)
    below = np.arange(len(thresholds) + 1)
    for split in step.splits:
        place = np.searchsorted(thresholds, split.threshold)
        mask[:-1] &= (below <= place) == split.is_left
        mask[-1] &= split.takes_unknown
    return mask


def _width(leaves: Sequence[_Leaf]) -> int:
    width = max((len(leaf.steps) for leaf in leaves), default=0)
    if width > MAX_PATH_INPUTS:
        raise ValueError(f"the way to a leaf reads {width} inputs; up to {MAX_PATH_INPUTS} can be explained")
    return width


def _tables(leaves: Sequence[_Leaf], *, width: int) -> Floats:
    """Return the share of each step of each leaf in each case: float64 (n_leaves, width, 2**width).

    A leaf's value is a product game: a step counts 1 or 0 among the known inputs, its share among the
    unknown. Its Shapley values weigh the coalitions by size, and so are sums over the coefficients of a
    polynomial. A leaf with fewer steps than `width` has extra ones that every row takes: they get nothing.
    """
    values = np.array([leaf.value for leaf in leaves])[:, None]
    shares, is_taken = np.ones((width, len(leaves), 1)), np.ones((width, len(leaves), 2**width))
    for place, leaf in enumerate(leaves):
        for bit, step in enumerate(leaf.steps):
            shares[bit, place] = step.share
            is_taken[bit, place] = np.arange(2**width) >> bit & 1
    tables = np.empty((len(leaves), width, 2**width))
    for bit in range(width):
        # by_size[s] sums over the coalitions of s other steps.
        by_size = np.zeros((width, len(leaves), 2**width))
        by_size[0] = 1.0
        for other in set(range(width)) - {bit}:
            joined = np.roll(by_size, 1, axis=0) * is_taken[other]
            by_size = by_size * shares[other] + joined
        weights = [factorial(size) * factorial(width - size - 1) / factorial(width) for size in range(width)]
        gain = is_taken[bit] - shares[bit]
        tables[:, bit] = values * gain * np.tensordot(weights, by_size, axes=1)
    return tables
