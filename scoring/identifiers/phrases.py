"""Phrases: words one after another, whatever their case, accents, disguise and the signs between them."""

import re

from scoring import similarity
from scoring.normalise import normalise

FEWEST_WORDS, FEWEST_CHARACTERS, MOST_CHARACTERS = 3, 12, 255
"""A phrase has so many words or so many characters, or it would hit posts by chance."""

_READ_WORDS = 2_000
_ANCHOR_WORDS = 3
# Scripts without spaces: each character is a word.
_ALONE = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")


def canonical(text: str) -> str:
    """Return the words with single spaces; "" where there are too few or too many."""
    value = " ".join(_words(text))
    is_enough = value.count(" ") + 1 >= FEWEST_WORDS or len(value) >= FEWEST_CHARACTERS
    return value if value and is_enough and len(value) <= MOST_CHARACTERS else ""


def found(text: str) -> str:
    """Return the words of a text, with a space before, between and behind them."""
    return f" {' '.join(_words(text))} "


def anchor(value: str) -> str:
    """Return the first words, by which a rule is looked up."""
    return " ".join(value.split()[:_ANCHOR_WORDS])


def anchors(line: str) -> set[str]:
    """Return the beginnings of all phrases that a text may hold."""
    words = line.split()
    runs = {" ".join(words[at : at + _ANCHOR_WORDS]) for at in range(len(words) - _ANCHOR_WORDS + 1)}
    for length in range(1, _ANCHOR_WORDS):
        short = (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))
        runs |= {run for run in short if len(run) >= FEWEST_CHARACTERS}
    return runs


def holds(line: str, value: str) -> bool:
    """Tell whether a text holds a phrase."""
    return f" {value} " in line


def _words(text: str) -> list[str]:
    return WORD.findall(similarity.folded(normalise(text).text))[:_READ_WORDS]
