"""Step 1, character by character: compatibility forms (NFKC), invisible characters, piles of accents.

Unicode Standard Annex 15 describes the forms. Done per segment (a character and what attaches to it), so that
every output character keeps its raw range, and with a limit on attached marks: canonical ordering of 100,000
accents on one letter takes quadratic time.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator

from scoring.normalise.edits import Edit

# Vietnamese needs two accents on a letter, Hebrew and Thai a few marks; more is decoration.
MAX_ACCENTS = 2
MAX_MARKS = 8

# Everything but printable ASCII, tab and line ends; with the character before it, to which it may attach.
_UNUSUAL = re.compile(r"[\x20-\x7e]?[^\t\n\r\x20-\x7e]+")
# Blank to the eye, though Unicode calls them letters or symbols: Braille's empty cell, Hangul fillers.
_BLANK = "\u2800\u3164\uffa0\u115f\u1160"
# Invisible, though Unicode calls them marks: joiner, vowel inherents, variation selectors.
_INVISIBLE = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LINE_ENDS = "\x85\u2028\u2029"
# Accents that belong to no script; those that cross a letter out or enclose it never spell anything.
_ACCENT = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_STRIKE = re.compile("[\u0334-\u0338\u0488\u0489\u20d2-\u20d4\u20d8-\u20e6\u20ea-\u20f0]")
# Vowels and finals of Hangul: letters, but they compose with what stands before.
_HANGUL_TAIL = re.compile("[\u1161-\u11ff\ud7b0-\ud7ff]")
# In these scripts, Hebrew to Mongolian, the zero-width joiner and non-joiner spell.
_JOINERS = "\u200c\u200d"
_JOINING_FIRST, _JOINING_LAST = "\u0590", "\u1cff"
# White letters on black shapes have no compatibility form: first of A to Z in each row.
_WHITE_ON_BLACK = (0x1F150, 0x1F170)


def edits(text: str) -> Iterator[Edit]:
    """Yield what to change in `text`, segment by segment."""
    if text.isascii() and text.isprintable():
        return
    for run in _UNUSUAL.finditer(text):
        start = run.start()
        for end in _segment_ends(text, start, run.end()):
            segment = text[start:end]
            composed = _composed(segment) if end - start > 1 else _alone(segment)
            if composed != segment:
                yield Edit(start=start, end=end, text=composed)
            start = end


def _segment_ends(text: str, start: int, end: int) -> Iterator[int]:
    for place in range(start + 1, end):
        if not _attaches(text[place]):
            yield place
    yield end


@functools.lru_cache(maxsize=16_384)
def _alone(character: str) -> str:
    return _composed(character)


def _composed(segment: str) -> str:
    parts: list[str] = []
    accents = marks = 0
    base = ""
    for character in segment:
        joins = character in _JOINERS and _JOINING_FIRST <= base <= _JOINING_LAST
        for part in character if joins else _decomposed(character):
            if not joins and not _attaches(part):
                accents = marks = 0
                base = part
            elif _STRIKE.match(part):
                continue
            else:
                accents += bool(_ACCENT.match(part))
                marks += 1
            if accents <= MAX_ACCENTS and marks <= MAX_MARKS:
                parts.append(part)
    return unicodedata.normalize("NFC", "".join(parts))


@functools.lru_cache(maxsize=16_384)
def _attaches(character: str) -> bool:
    parts = _decomposed(character)
    return not parts or unicodedata.category(parts[0])[0] == "M" or _HANGUL_TAIL.match(parts[0]) is not None


@functools.lru_cache(maxsize=16_384)
def _decomposed(character: str) -> str:
    """Return the compatibility decomposition; nothing for what cannot be seen."""
    if character in _BLANK or character.isspace():
        return _space(character)
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf") or _INVISIBLE.match(character):
        return ""
    if kind == "Cs":
        return "\ufffd"  # half of a pair has no UTF-8
    for first in _WHITE_ON_BLACK:
        if first <= ord(character) < first + 26:
            return chr(ord("A") + ord(character) - first)
    parts = unicodedata.normalize("NFKD", character)
    # An accent by itself would become a space and a mark, and cut a word like don\u00b4t in two.
    return character if parts[0] == " " else parts


def _space(character: str) -> str:
    if character in "\t\n\r":
        return character
    return "\n" if character in _LINE_ENDS else " "
