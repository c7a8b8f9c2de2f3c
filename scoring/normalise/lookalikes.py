"""Step 4: letters of other alphabets that look Latin, folded if a word looks spoofed.

Which letters look alike is Unicode's own table (Technical Standard 39), as in the package
confusable-homoglyphs. Real words of other scripts stay as they are.
"""

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scoring.normalise.edits import Edit

_WORD = re.compile(r"[^\W\d_](?:\w*[^\W\d_])?")
# Blocks of Latin letters that no orthography of a large language uses: phonetics and their extensions.
_PHONETIC = re.compile("[\u0192\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f]")
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])$")
# Alike at a glance only, so not in Unicode's table: believed inside a word that has Latin letters too.
_AT_A_GLANCE = dict(zip("мтквнпияьжηκτεωςβμπϲλ", "mtkbhnurbxnktewsbunca", strict=True))


@dataclass(slots=True)
class _Tally:
    """Letters of a text: Latin ones, and by script those that no Latin letter looks like."""

    latin: int = 0
    foreign: Counter[str] = field(default_factory=Counter)


def edits(text: str) -> Iterator[Edit]:
    """Yield the letters to fold. A word counts as spoofed if Latin letters and look-alikes mix in it, or
    when it is made of look-alikes alone and nothing else in the text is written in their script.
    """
    if text.isascii():
        return
    words = [word for word in _WORD.finditer(text) if not word.group().isascii()]
    tally = _tally(text)
    for word in words:
        yield from _word_edits(word.group(), place=word.start(), tally=tally)


@functools.lru_cache(maxsize=16_384)
def latin_twin(letter: str) -> str:
    """Return the ASCII letter that a letter of another script is confused with, "" if none; accents count
    for nothing.
    """
    if letter.isascii() or not letter.isalpha() or _script(letter) == "LATIN":
        return ""
    return _listed(letter) or _listed(unicodedata.normalize("NFD", letter)[0])


def rough_twin(letter: str) -> str:
    """Return the ASCII letter that a letter resembles only roughly, "" if none."""
    twin = _AT_A_GLANCE.get(letter.lower(), "")
    return twin.upper() if letter.isupper() else twin


def _tally(text: str) -> _Tally:
    tally = _Tally()
    for word in _WORD.findall(text):
        latin = sum(map(_is_latin, word))
        tally.latin += latin
        if not latin:
            tally.foreign.update(
                _script(letter) for letter in word if letter.isalpha() and not latin_twin(letter)
            )
    return tally


def _word_edits(word: str, *, place: int, tally: _Tally) -> Iterator[Edit]:
    spoofed = _spoofed_letters(word, tally=tally)
    for offset, letter in enumerate(word):
        twin = _phonetic(letter) or spoofed.get(letter, "")
        if twin:
            yield Edit(start=place + offset, end=place + offset + 1, text=twin)


def _spoofed_letters(word: str, *, tally: _Tally) -> dict[str, str]:
    """Return which letters of a word stand for which Latin ones; empty if the word is not spoofed."""
    twins = {letter: latin_twin(letter) for letter in set(word)}
    has_latin = any(map(_is_latin, twins))
    if has_latin:
        twins = {letter: twin or rough_twin(letter) for letter, twin in twins.items()}
        alike = sum(_is_latin(letter) or bool(twins[letter]) for letter in word)
        if 2 * alike <= len(word):
            return {}
    elif not tally.latin or not all(twins.values()):
        return {}
    # Mixed words may occur where most of a text is foreign; words of look-alikes only, wherever any of it is.
    most = tally.latin if has_latin else 0
    return {letter: twin for letter, twin in twins.items() if tally.foreign[_script(letter)] <= most}


@functools.lru_cache(maxsize=16_384)
def _is_latin(letter: str) -> bool:
    return letter.isalpha() and (letter.isascii() or _script(letter) == "LATIN")


@functools.lru_cache(maxsize=16_384)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


@functools.lru_cache(maxsize=16_384)
def _phonetic(letter: str) -> str:
    if not _PHONETIC.match(letter):
        return ""
    small_capital = _SMALL_CAPITAL.match(unicodedata.name(letter, ""))
    return small_capital[1].lower() if small_capital else _listed(letter)


def _listed(letter: str) -> str:
    # Imported late: its table is a megabyte of JSON.
    from confusable_homoglyphs.confusables import confusables_data

    candidates = [entry["c"] for entry in confusables_data.get(letter, ()) if _is_ascii_letter(entry["c"])]
    if not candidates:
        return ""
    # The table has one "l" for everything that is a vertical line, capital I among them.
    twin = str(candidates[0])
    return "I" if twin == "l" and letter.isupper() else twin


def _is_ascii_letter(candidate: str) -> bool:
    return len(candidate) == 1 and candidate.isascii() and candidate.isalpha()
