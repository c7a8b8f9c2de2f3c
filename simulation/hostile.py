"""Hostile content that attacks careless rendering, storage or export."""

import random
from collections.abc import Callable

from scoring.links import links_in
from simulation import material

_RIGHT_TO_LEFT_OVERRIDE, _POP = "\u202e", "\u202c"
_ZERO_WIDTH = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
_MARKS = tuple(chr(code) for code in range(0x0300, 0x0336))
_LONG_WORD_LETTERS = 5000


def spoil(text: str, *, rng: random.Random) -> tuple[str, str]:
    """Return the text with one hostile piece, and the piece's name."""
    name = rng.choice(sorted(SPOILERS))
    return SPOILERS[name](text, rng), name


def disguise(text: str, *, rng: random.Random) -> str:
    """Return the text with look-alike letters or invisible characters in it, as spammers do.

    Links stay whole: they must work, and their hosts stay under reserved names.
    """
    change = _look_alikes if rng.random() < 0.5 else _split
    return " ".join(word if links_in(word) else change(word, rng) for word in text.split(" "))


def _look_alikes(word: str, rng: random.Random) -> str:
    letters = material.table("hostile")["look_alike_letters"]
    return "".join(letters.get(char, char) if rng.random() < 0.5 else char for char in word)


def _split(word: str, rng: random.Random) -> str:
    return "".join(
        char + rng.choice(_ZERO_WIDTH) if char.isalpha() and rng.random() < 0.15 else char for char in word
    )


def _piece(name: str) -> Callable[[str, random.Random], str]:
    def spoiled(text: str, rng: random.Random) -> str:
        piece = rng.choice(material.table("hostile")[name])
        # A formula is live only at the start of a spreadsheet cell.
        return f"{piece} {text}" if name == "formula" or rng.random() < 0.4 else f"{text} {piece}"

    return spoiled


def _bidi(text: str, rng: random.Random) -> str:
    """Write some words backwards and have them shown forwards."""
    return " ".join(
        f"{_RIGHT_TO_LEFT_OVERRIDE}{word[::-1]}{_POP}" if rng.random() < 0.5 and not links_in(word) else word
        for word in f"{text} now".split(" ")
    )


def _zero_width(text: str, rng: random.Random) -> str:
    return "".join(char + rng.choice(_ZERO_WIDTH) for char in text)


def _combining(text: str, rng: random.Random) -> str:
    return (
        "".join(char + "".join(rng.choices(_MARKS, k=rng.randint(2, 12))) for char in text[:80]) + text[80:]
    )


def _look_alike_host(text: str, rng: random.Random) -> str:
    return f"{text} https://{rng.choice(material.table('hosts')['look_alikes'])}/"


def _long_word(text: str, rng: random.Random) -> str:
    return f"{text} {rng.choice('aWі漢') * _LONG_WORD_LETTERS}"


SPOILERS: dict[str, Callable[[str, random.Random], str]] = {
    "markup": _piece("markup"),
    "svg": _piece("svg"),
    "formula": _piece("formula"),
    "userinfo": _piece("userinfo"),
    "bidi": _bidi,
    "zero_width": _zero_width,
    "combining_marks": _combining,
    "look_alike_host": _look_alike_host,
    "long_word": _long_word,
}
