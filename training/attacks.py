"""Attacks that disguise a text, as pure seeded functions: for the robustness suite and for training.

The same text, attack and seed always give the same result. A person still reads the message.
"""

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.links import links_in
from training.dataset import Example

Attack = Callable[[str, random.Random], str]

# Share of a text's words that an attack touches, and of a word's letters where it works letter by letter.
WORD_SHARE = 0.5
LETTER_SHARE = 0.6

_WORD = re.compile(r"[A-Za-z]{3,}")
_LINK_OR_WORD = re.compile(r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)+(?:/\S*)?|[A-Za-z]{3,}")
_NUMBER = re.compile(r"\+?\d[\d ().-]{5,}\d")
_MESSENGER = re.compile(r"whats ?app|telegram|signal|viber|wechat", re.IGNORECASE)
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_TWINS: Mapping[str, str] = dict(
    zip(
        "aceijopsxyhvABCEHIKMOPTXSJYavoip",
        "асеіјорѕхуһѵАВСЕНІКМОРТХЅЈҮανοιρ",
        strict=True,
    )
)
_GREEK: Mapping[str, str] = dict(zip("avoipuABEHIKMNOPTXYZ", "ανοιρυΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", strict=True))
_LEET: Mapping[str, str] = {"a": "4@", "e": "3", "i": "1!", "l": "1", "o": "0", "s": "5$", "t": "7"}

_TABLES: Mapping[str, Sequence[Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_SYNONYMS_OF = {word: group for group in _TABLES["synonyms"] for word in group if " " not in word}


def attacked(text: str, *, attack: str, seed: int) -> str:
    """Return `text` disguised by the attack of this name. Raises KeyError for an unknown name."""
    # A text seed is hashed by SHA-512, so it gives the same sequence on every machine. Not for secrets.
    return ATTACKS[attack](text, random.Random(f"{seed}:{attack}:{text}"))  # noqa: S311


def spacing(text: str, chance: random.Random) -> str:
    """Separate the letters of some words by blanks, dots, hyphens or underscores."""

    def apart(word: str) -> str:
        return chance.choices(" .-_", (7, 1, 1, 1))[0].join(word)

    return _words(text, chance, apart)


def zero_width(text: str, chance: random.Random) -> str:
    """Put invisible characters between the letters of some words."""
    return _words(
        text, chance, lambda word: word[0] + "".join(chance.choice(_ZERO_WIDTH) + char for char in word[1:])
    )


def homoglyph(text: str, chance: random.Random) -> str:
    """Replace Latin letters of some words by Cyrillic or Greek ones that look alike, one alphabet a text."""
    twins = chance.choice((_TWINS, _TWINS, _GREEK))
    return _words(text, chance, lambda word: _letters(word, chance, lambda letter: twins.get(letter, letter)))


def fullwidth(text: str, chance: random.Random) -> str:
    """Write some words in the wide letters of East Asian typography."""
    return _words(text, chance, lambda word: "".join(chr(ord(letter) + 0xFEE0) for letter in word))


def leet(text: str, chance: random.Random) -> str:
    """Replace letters of some words by digits and signs."""

    def posing(letter: str) -> str:
        return chance.choice(_LEET.get(letter.lower(), letter))

    return _words(text, chance, lambda word: _letters(word, chance, posing))


def char_swap(text: str, chance: random.Random) -> str:
    """Swap two inner neighbours in some words of four letters or more."""

    def swapped(word: str) -> str:
        if len(word) < 4:
            return word
        place = chance.randrange(1, len(word) - 2)
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return _words(text, chance, swapped)


def ham_padding(text: str, chance: random.Random) -> str:
    """Hide the message before or after two or three lines of ordinary chatter."""
    lines = " ".join(chance.sample(_TABLES["padding"], chance.choice((2, 3))))
    return f"{lines} {text}" if chance.random() < 0.5 else f"{text} {lines}"


def url_defang(text: str, chance: random.Random) -> str:
    """Write links so that filters miss them and readers do not: hxxp, [.], (dot)."""
    dot = chance.choice(("[.]", "(.)", "[dot]", " (dot) "))
    defanged = text
    for link in links_in(text):
        if link.host:
            defanged = defanged.replace(link.host, link.host.replace(".", dot))
    return re.sub(r"(?i)\bhttp(s?)://", r"hxxp\1://", defanged)


def synonym_swap(text: str, chance: random.Random) -> str:
    """Fill the template with other words of the same sense, as Mad-lib spam does."""

    def other(word: str) -> str:
        group = _SYNONYMS_OF.get(word.lower())
        if not group:
            return word
        synonym = str(chance.choice([option for option in group if option != word.lower()]))
        return synonym.upper() if word.isupper() else synonym.capitalize() if word[0].isupper() else synonym

    return _words(text, chance, other, share=1.0)


def contact(text: str, chance: random.Random) -> str:
    """Decorate telephone numbers and names of messengers, as spammers who want replies elsewhere do."""
    sign, plus = chance.choice(" .-*~|•_"), chance.choice("✙✚➕⊕+")

    def decorated(found: re.Match[str]) -> str:
        digits = re.sub(r"[^\d+]", "", found.group()).replace("+", plus)
        return "".join(digit + sign * (chance.random() < LETTER_SHARE) for digit in digits).strip()

    def renamed(found: re.Match[str]) -> str:
        name = found.group()
        at = chance.randrange(2, len(name) - 1)
        return name[:at] + chance.choice(("'", "-", ".", " ", "́")) + name[at:]

    return _MESSENGER.sub(renamed, _NUMBER.sub(decorated, text))


ATTACKS: Mapping[str, Attack] = {
    attack.__name__: attack
    for attack in (
        spacing,
        zero_width,
        homoglyph,
        fullwidth,
        leet,
        char_swap,
        ham_padding,
        url_defang,
        synonym_swap,
        contact,
    )
}


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


def _words(text: str, chance: random.Random, change: Callable[[str], str], share: float = WORD_SHARE) -> str:
    """Apply a change to a share of the words of three letters or more, except links."""

    def changed(found: re.Match[str]) -> str:
        word = found.group()
        return change(word) if _WORD.fullmatch(word) and chance.random() < share else word

    return _LINK_OR_WORD.sub(changed, text)


def _letters(word: str, chance: random.Random, change: Callable[[str], str]) -> str:
    return "".join(change(letter) if chance.random() < LETTER_SHARE else letter for letter in word)
