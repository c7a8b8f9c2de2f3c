"""Regression trees as plain arrays: evaluated with numpy, written as JSON, whatever they predict."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF = -1

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Tree:
    """One regression tree: arrays of length n_nodes, node 0 the root; children and input are -1 at a leaf.

    x <= threshold goes left, NaN goes to the child in `missing`; `cover` counts the training rows that
    reached a node.
    """

    left: Indices
    right: Indices
    missing: Indices
    input: Indices
    threshold: Floats
    value: Floats
    cover: Floats


@dataclass(frozen=True)
class Forest:
    """A sum of trees over named inputs: margin = base + Σ trees."""

    inputs: tuple[str, ...]
    base: float
    trees: tuple[Tree, ...]

    def margins(self, rows: Floats) -> Floats:
        """Evaluate rows of shape (n, n_inputs), NaN allowed; returns float64 (n,). A row never affects
        another's.
        """
        packed = self._packed
        nodes = np.broadcast_to(packed.roots, (len(rows), len(packed.roots)))
        row = np.arange(len(rows))[:, None]
        for _ in range(packed.depth):
            values = rows[row, packed.input[nodes]]
            # False for NaN, which would go right: the next statement corrects its direction.
            child = np.where(values <= packed.threshold[nodes], packed.left[nodes], packed.right[nodes])
            nodes = np.where(np.isnan(values), packed.missing[nodes], child)
        margins: Floats = self.base + packed.value[nodes].sum(axis=1)
        return margins

    @functools.cached_property
    def _packed(self) -> "_Packed":
        return _pack(self.trees)


def to_json(forest: Forest) -> dict[str, Any]:
    """Return plain JSON values that from_json reads back bit for bit."""
    trees = [{name: getattr(tree, name).tolist() for name in Tree.__slots__} for tree in forest.trees]
    return {"inputs": list(forest.inputs), "base": forest.base, "trees": trees}


def from_json(stored: Mapping[str, Any]) -> Forest:
    """Read a forest. Raises KeyError, TypeError or ValueError where it is not one that can be evaluated."""
    inputs = tuple(stored["inputs"])
    trees = tuple(_tree_from_json(tree, n_inputs=len(inputs)) for tree in stored["trees"])
    return Forest(inputs=inputs, base=float(stored["base"]), trees=trees)


@dataclass(frozen=True, slots=True)
class _Packed:
    """All trees of a forest in one set of arrays; a leaf leads to itself, so all rows take `depth` steps."""

    roots: NDArray[np.intp]
    depth: int
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    missing: NDArray[np.intp]
    input: NDArray[np.intp]
    threshold: Floats
    value: Floats


def _pack(trees: Sequence[Tree]) -> _Packed:
    sizes = [len(tree.value) for tree in trees]
    roots = (
        np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp) if trees else np.zeros(0, dtype=np.intp)
    )

    def joined(name: str) -> NDArray[np.intp]:
        parts = [
            np.where(getattr(tree, name) == LEAF, np.arange(size), getattr(tree, name)) + root
            for tree, size, root in zip(trees, sizes, roots, strict=True)
        ]
        return np.concatenate(parts).astype(np.intp) if parts else np.zeros(0, dtype=np.intp)

    def plain(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees]) if trees else np.zeros(0)

    return _Packed(
        roots=roots,
        depth=max((_depth(tree) for tree in trees), default=0),
        left=joined("left"),
        right=joined("right"),
        missing=joined("missing"),
        input=np.maximum(plain("input"), 0).astype(np.intp),
        threshold=plain("threshold"),
        value=plain("value"),
    )


def _depth(tree: Tree) -> int:
    """Count the steps from the root to the deepest leaf; children always stand behind their parent."""
    depths = np.zeros(len(tree.value), dtype=np.intp)
    for node in range(len(tree.value)):
        if tree.left[node] != LEAF:
            depths[[tree.left[node], tree.right[node]]] = depths[node] + 1
    return int(depths.max(initial=0))


def _tree_from_json(stored: Mapping[str, Any], *, n_inputs: int) -> Tree:
    """Read a tree. Raises ValueError where an index would lead outside it, or back up, or where its covers
    could not be shares of training rows.
    """
    tree = Tree(
        left=np.array(stored["left"], dtype=np.int32),
        right=np.array(stored["right"], dtype=np.int32),
        missing=np.array(stored["missing"], dtype=np.int32),
        input=np.array(stored["input"], dtype=np.int32),
        threshold=np.array(stored["threshold"], dtype=np.float64),
        value=np.array(stored["value"], dtype=np.float64),
        cover=np.array(stored["cover"], dtype=np.float64),
    )
    nodes = np.arange(len(tree.value))
    inner = tree.left != LEAF
    for children in (tree.left, tree.right, tree.missing):
        if len(children) != len(nodes) or ((children <= nodes) | (children >= len(nodes)))[inner].any():
            raise ValueError("a tree's child is not behind its parent")
    if (tree.input[inner] >= n_inputs).any() or not np.isfinite(tree.value).all():
        raise ValueError("a tree reads an unknown input or has a value that is not finite")
    if not (np.isfinite(tree.cover) & (tree.cover > 0)).all():
        raise ValueError("a node of a tree covers no training rows")
    return tree
