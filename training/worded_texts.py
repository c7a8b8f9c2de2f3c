"""Training texts of a reader of evidence, each with its author: pages, posters, captions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.trees import Floats
from training import labelled_lines
from training.labelled_lines import MOST_TRAINING_WEIGHT, LabelledLine, Malformed, Origin
from training.labelled_records import LabelledRecord

# A family has twenty pages, four posters and two videos: so that each sort counts.
_WEIGHTS = {"page": 1.0, "picture": 2.0, "captions": 3.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedText:
    """A text and whether it is from spam; texts of one `family` are worded alike, and left out together."""

    text: str
    is_spam: bool
    family: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Texts as arrays of one length."""

    texts: Sequence[str]
    is_spam: NDArray[np.bool_]
    families: NDArray[np.str_]
    weights: Floats

    @classmethod
    def of(cls, texts: Sequence[WordedText]) -> "Texts":
        """Return texts as arrays."""
        return cls(
            texts=[text.text for text in texts],
            is_spam=np.array([text.is_spam for text in texts], dtype=np.bool_),
            families=np.array([text.family for text in texts], dtype=np.str_),
            weights=np.array([text.weight for text in texts], dtype=np.float64),
        )


def load(paths: Sequence[Path]) -> list[WordedText]:
    """Read what `manage.py simulate_pages` wrote. Raises Malformed for the first line that is wrong."""
    return [_worded(line) for path in paths for line in labelled_lines.lines(path)]


def decided(labelled: Sequence[LabelledRecord], *, texts: Sequence[Sequence[str]]) -> list[WordedText]:
    """Return the texts of evidence of posts that people decided; nothing is learnt from simulated ones."""
    return [
        WordedText(
            text=text,
            is_spam=post.is_spam,
            family=family_of(post)[0],
            weight=min(post.weight, MOST_TRAINING_WEIGHT),
        )
        for post, own in zip(labelled, texts, strict=True)
        if post.origin is Origin.DECIDED
        for text in own
    ]


def family_of(one: LabelledRecord) -> tuple[str, ...]:
    """Return the families of a record's evidence; a decision's family is its group."""
    return one.families if one.origin is Origin.SIMULATED else (f"decided {one.group}",)


def _worded(line: LabelledLine) -> WordedText:
    stored = line.stored
    try:
        if not isinstance(stored["is_spam"], bool):
            raise Malformed(f"{line.where}: is_spam: expected true or false")
        return WordedText(
            text=str(stored["text"]),
            is_spam=stored["is_spam"],
            family=str(stored["family"]),
            weight=_WEIGHTS[stored["shown"]],
        )
    except KeyError as wrong:
        raise Malformed(f"{line.where}: KeyError: {wrong}") from wrong
