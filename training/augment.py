"""Disguised copies of training texts, so that the model also reads what the normaliser cannot undo."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from training.attacks import ATTACKS, attacked
from training.dataset import Example


def with_copies(examples: Sequence[Example], *, share: float, seed: int) -> list[Example]:
    """Add, for that share of the examples, one copy under an attack drawn by chance.

    Both classes alike: otherwise the model would learn that disguise is spam. A copy keeps its group.
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
    names = sorted(ATTACKS)
    copies = []
    for example in examples:
        if chance.random() < share:
            text = attacked(example.text, attack=chance.choice(names), seed=seed)
            if text != example.text:
                copies.append(replace(example, id=f"{example.id}~", text=text))
    return [*examples, *copies]
