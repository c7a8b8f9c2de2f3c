"""Labelled texts of a source that meets the product as a platform."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training import labelled_lines

_MOST_OF_GROUP = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A labelled text. Ids may occur twice in a file: its `line` names it."""

    line: int
    text: str
    language: str
    is_spam: bool
    group: str


def read(path: Path) -> list[Text]:
    """Read the texts of a file; those without a letter are left out, as no platform may send them."""
    return [
        Text(
            line=line.number,
            text=line.stored["text"],
            language=line.stored.get("lang") or "",
            is_spam=line.stored["label"] == 1,
            group=str(line.stored["group"]),
        )
        for line in labelled_lines.lines(path)
        if line.stored["text"].strip()
    ]


def limited(texts: Sequence[Text], *, most: int) -> list[Text]:
    """Return groups drawn by chance, the same at every call, up to `most` texts or a little more.

    Of a group of near-duplicates 100 at most: the others say the same, and would fill a half alone.
    """
    by_group = defaultdict(list)
    for text in texts:
        by_group[text.group].append(text)
    names = sorted(by_group)
    np.random.default_rng(0).shuffle(names)
    sample: list[Text] = []
    for name in names:
        if len(sample) >= most:
            break
        sample.extend(by_group[name][:_MOST_OF_GROUP])
    return sample
