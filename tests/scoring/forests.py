"""Forests made by hand, of shapes that training seldom gives."""

import numpy as np

from scoring.trees import LEAF, Forest, Tree


def staircase(steps: int, *, inputs: tuple[str, ...]) -> Forest:
    """Return one tree whose deepest leaf is reached over so many inputs, each asked whether it is above 0."""
    leaf = (LEAF, LEAF, LEAF)
    nodes = [leaf]
    for step in range(steps):
        nodes[-1:] = [(len(nodes), len(nodes) + 1, step), leaf, leaf]
    return Forest(inputs=inputs, base=0.5, trees=(_tree(nodes, generator=np.random.default_rng(steps)),))


def random_forest(*, trees: int, n_inputs: int, splits: int, seed: int) -> Forest:
    """Return trees that ask inputs by chance, one several times on a path, at few different thresholds."""
    generator = np.random.default_rng(seed)
    inputs = tuple(f"input {place}" for place in range(n_inputs))
    grown = tuple(
        _tree(_grown(splits, n_inputs=n_inputs, generator=generator), generator=generator)
        for _ in range(trees)
    )
    return Forest(inputs=inputs, base=float(generator.normal()), trees=grown)


def _grown(splits: int, *, n_inputs: int, generator: np.random.Generator) -> list[tuple[int, int, int]]:
    """Split a leaf by chance, again and again."""
    nodes = [(LEAF, LEAF, LEAF)]
    for _ in range(splits):
        leaves = [place for place, node in enumerate(nodes) if node[0] == LEAF]
        nodes[generator.choice(leaves)] = (len(nodes), len(nodes) + 1, int(generator.integers(n_inputs)))
        nodes += [(LEAF, LEAF, LEAF)] * 2
    return nodes


def _tree(nodes: list[tuple[int, int, int]], *, generator: np.random.Generator) -> Tree:
    """Give nodes (left, right, input) thresholds, values and covers by chance."""
    left, right, asked = np.array(nodes, dtype=np.int32).T
    cover = np.ones(len(nodes))
    for place in reversed(range(len(nodes))):
        is_leaf = left[place] == LEAF
        cover[place] = generator.integers(1, 50) if is_leaf else cover[left[place]] + cover[right[place]]
    return Tree(
        left=left,
        right=right,
        missing=np.where(generator.random(len(nodes)) < 0.5, left, right),
        input=asked,
        threshold=np.where(left == LEAF, 0.0, generator.integers(-2, 3, size=len(nodes)) / 2),
        value=np.where(left == LEAF, generator.normal(size=len(nodes)), 0.0),
        cover=cover,
    )
