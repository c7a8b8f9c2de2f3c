"""The words that most of a few texts share: the name of a group of near-duplicates."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from scoring import similarity
from scoring.identifiers.phrases import WORD

LONGEST = 60
"""Most characters of a result."""

_READ_CHARACTERS = 240
_BASES = 3
_MOST_WORDS = 8
_FEWEST_WORDS, _FEWEST_LETTERS = 2, 6
# Of a script without spaces, where each character counts as a word, four say something.
_FEWEST_ALONE = 4


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is compared, and its range in the text."""

    key: str
    start: int
    end: int


def shared_words(texts: Sequence[str]) -> str:
    """Return the longest run of words that more than half of the texts hold, as the first of them writes it.

    The earliest of equally long runs; "" where they share too little. Case, accents, invisible characters,
    signs, links and handles count for nothing. Only the first 240 characters of each text are read.
    """
    if len(texts) < 2:
        return ""
    prepared = [_prepared(text) for text in texts]
    words = [_words(text) for text in prepared]
    lines = [f" {' '.join(word.key for word in each)} " for each in words]
    for text, each in list(zip(prepared, words, strict=True))[:_BASES]:
        run = _longest(text, each, lines)
        if _is_enough(run):
            return _written(text, run)
    return ""


def _prepared(text: str) -> str:
    """Drop links and invisible characters."""
    composed = unicodedata.normalize("NFC", text[:_READ_CHARACTERS])
    visible = "".join(character for character in composed if unicodedata.category(character) != "Cf")
    return " ".join(similarity.LINK.sub(" ", visible).split())


def _words(text: str) -> list[_Word]:
    return [_Word(similarity.folded(token[0]), *token.span()) for token in WORD.finditer(text)]


def _longest(text: str, words: list[_Word], lines: list[str]) -> list[_Word]:
    best: list[_Word] = []
    for start in range(len(words)):
        while len(best) < _MOST_WORDS and start + len(best) < len(words):
            run = words[start : start + len(best) + 1]
            if len(_written(text, run)) > LONGEST or not _is_shared(run, lines):
                break
            best = run
    return best


def _is_shared(run: list[_Word], lines: list[str]) -> bool:
    phrase = f" {' '.join(word.key for word in run)} "
    return 2 * sum(phrase in line for line in lines) > len(lines)


def _is_enough(run: list[_Word]) -> bool:
    letters = sum(len(word.key) for word in run)
    return len(run) >= _FEWEST_ALONE or (len(run) >= _FEWEST_WORDS and letters >= _FEWEST_LETTERS)


def _written(text: str, run: list[_Word]) -> str:
    return text[run[0].start : run[-1].end] if run else ""
