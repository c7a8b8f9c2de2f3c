"""Step 5: digits and signs in place of letters ("v1agra", "c@sh"), undone only if the result is a word.

Codes, prices, times, handles, cashtags and links keep their digits.
"""

import functools
import itertools
import math
import re
from collections.abc import Iterator

from scoring.normalise import words
from scoring.normalise.edits import Edit

_POSES = dict(
    zip(
        "01345789@$!|\u20ac+",
        ("o", "il", "e", "a", "s", "t", "b", "g", "a", "s", "il", "il", "e", "t"),
        strict=True,
    )
)
# A word of letters and such signs, that is no part of a link, address, handle, tag or number.
_TOKEN = re.compile(
    r"(?<![\w@#$€!|+./:&%=?~-])[A-Za-z0-9@$!|€+]*[A-Za-z][A-Za-z0-9@$!|€+]*(?![\w@#/:&%=~]|[.-]\w)"
)
_EDGE_PUNCTUATION = "!|+"
_EDGE_DIGITS = re.compile(r"^\d+|\d+$")
_CASHTAG = re.compile(r"\$[A-Z]")
_CLOCK = re.compile(r"\d+[AaPp][Mm]")
_SIGN_INSIDE = re.compile(r"[A-Za-z][a-z]*[013][a-z]+(?<=\w{5})")
_VERY_FREQUENT = 500
_MAX_LENGTH = 24
_MAX_READINGS = 16


def edits(text: str) -> Iterator[Edit]:
    """Yield the edits from signs to letters."""
    for token in _TOKEN.finditer(text):
        word = token.group().rstrip(_EDGE_PUNCTUATION)
        if word.isalpha() or not 3 <= len(word) <= _MAX_LENGTH:
            continue
        reading = _reading(word)
        for offset, (sign, letter) in enumerate(zip(word, reading, strict=False)):
            if sign != letter:
                place = token.start() + offset
                yield Edit(start=place, end=place + 1, text=letter)


@functools.lru_cache(maxsize=4_096)
def _reading(word: str) -> str:
    """Return the intended word, in the case of its letters; "" if the text is meant literally."""
    if _CASHTAG.match(word) or word[0] == "@":
        return ""
    letters = [character for character in word if character.isalpha()]
    options = [_POSES.get(character, character if character.isalpha() else "") for character in word]
    if not all(options) or 3 * len(letters) < len(word):
        return ""
    limit = _limit(word, letters=len(letters))
    for reading in map("".join, itertools.islice(itertools.product(*options), _MAX_READINGS)):
        rank = words.rank(reading.lower())
        if rank is not None and rank < limit:
            is_shouted = all(letter.isupper() for letter in letters) and len(letters) > 1
            return reading.upper() if is_shouted else reading
    # Names that no list holds ("v1agra"): one sign inside a longer word in lower case.
    return "".join(option[0] for option in options) if _SIGN_INSIDE.fullmatch(word) else ""


def _limit(word: str, *, letters: int) -> float:
    """Return the rank below which a resulting word is accepted: it must be frequent enough."""
    stem = _EDGE_DIGITS.sub("", word)
    limit = math.inf if stem == word and 2 * letters >= len(word) else words.FREQUENT
    if stem == word:
        return limit
    if _CLOCK.fullmatch(word):
        return 0
    if len(word) == 3:
        return _VERY_FREQUENT
    if word[-1] == "0" and word[:-1].isalpha():
        return limit  # "hell0": a number would not be a single 0
    # "room5" is a word and a number unless what it reads as is more frequent than the word.
    stem_rank = words.rank(stem.lower())
    return limit if stem_rank is None else min(limit, stem_rank)
