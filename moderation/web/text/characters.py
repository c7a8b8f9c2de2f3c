"""Deceptive characters: invisible ones and look-alikes, and their names.

Pure functions of single characters and words; `text_marks` applies them to a whole text.
"""
# ruff: noqa: RUF001 - this module is about look-alike characters

import functools
import re
import unicodedata
from collections import Counter

from confusable_homoglyphs import categories, confusables

# Unicode 17, general punctuation and bidirectional controls: the abbreviations that its charts print.
_NAMED = {
    "\u00ad": "SHY", "\u034f": "CGJ", "\u061c": "ALM", "\u115f": "FILLER", "\u1160": "FILLER",
    "\u17b4": "BLANK", "\u17b5": "BLANK", "\u180e": "MVS", "\u200b": "ZWSP", "\u200c": "ZWNJ",
    "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LINE", "\u2029": "PARA",
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u2060": "WJ", "\u2061": "F()", "\u2062": "×", "\u2063": ",", "\u2064": "+",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\u2800": "BLANK",
    "\u3164": "FILLER", "\ufeff": "ZWNBSP", "\uffa0": "FILLER", "\ufffc": "OBJ",
}  # fmt: skip
_NO_SCRIPT = frozenset({"LATIN", "COMMON", "INHERITED"})
_JOINERS = "\u200c\u200d"
_CURSIVE_SCRIPTS = frozenset(
    {
        "ARABIC",
        "SYRIAC",
        "MONGOLIAN",
        "NKO",
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
    }
    | {"TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "TIBETAN"}
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STYLED_RANGES = ((0x1D400, 0x1D7FF), (0xFF21, 0xFF5A), (0x24B6, 0x24E9), (0x1F110, 0x1F189))


def hidden_label(character: str) -> str:
    """Return the short name of an invisible or reordering character, "" for all others."""
    if character in _NAMED:
        return _NAMED[character]
    point = ord(character)
    if 0xE0000 <= point <= 0xE007F:
        return "TAG"
    if 0xFE00 <= point <= 0xFE0D or 0xE0100 <= point <= 0xE01EF:
        return "VS"
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cn", "Co", "Cs"} and character not in "\t\n\r":
        return f"U+{point:04X}"
    return ""


@functools.lru_cache(maxsize=8192)
def may_deceive(character: str) -> bool:
    """Return whether a character may be hidden, an accent or styled, whatever its neighbours are."""
    return bool(hidden_label(character) or is_accent(character) or plain_letter(character, is_cjk_text=False))


def is_accent(character: str) -> bool:
    """Return whether a character is drawn onto the one before it."""
    return unicodedata.combining(character) > 0 or unicodedata.category(character) == "Me"


def is_joiner(character: str) -> bool:
    """Return whether a character is a joiner, legitimate in emoji and cursive scripts only."""
    return character in _JOINERS


def takes_joiners(character: str) -> bool:
    """Return whether a joiner beside this character is legitimate."""
    return (
        unicodedata.category(character) == "So"
        or script(character) in _CURSIVE_SCRIPTS
        or (unicodedata.category(character) in {"Mn", "Mc", "Sk"})
    )


def spoken_name(character: str) -> str:
    """Return the Unicode name with its code point, for tooltips and screen readers."""
    return f"{unicodedata.name(character, 'control or unassigned character').lower()}, U+{ord(character):04X}"


@functools.lru_cache(maxsize=8192)
def script(character: str) -> str:
    """Return the script's name in capitals: LATIN, CYRILLIC, COMMON…"""
    return str(categories.alias(character))


@functools.lru_cache(maxsize=8192)
def latin_twin(character: str) -> str:
    """Return the Latin letter that a letter of another script looks like, "" if there is none."""
    if character.isascii() or script(character) == "LATIN":
        return ""
    matches = confusables.is_confusable(character, preferred_aliases=["latin"])
    for twin in matches[0]["homoglyphs"] if matches else ():
        if len(twin["c"]) == 1 and twin["c"].isascii() and twin["c"].isalpha():
            return str(twin["c"])
    return ""


def impostors(word: str, *, is_latin_text: bool) -> frozenset[str]:
    """Return the letters of a word that imitate Latin ones.

    A word that mixes Latin with another script is suspect, and in a Latin text also a word of look-alikes
    only.
    """
    letters = set(word)
    foreign = {letter for letter in letters if letter.isalpha() and script(letter) not in _NO_SCRIPT}
    twins = frozenset(character for character in foreign if latin_twin(character))
    has_latin = any(script(letter) == "LATIN" for letter in letters)
    is_masquerade = is_latin_text and len(word) > 2 and foreign == twins
    return twins if twins and (has_latin or is_masquerade) else frozenset()


def is_mostly_latin(text: str) -> bool:
    """Tell whether more than half of a text's letters (of its first 2,000 characters) are Latin."""
    letters = Counter(filter(str.isalpha, text[:2000]))
    latin = sum(times for letter, times in letters.items() if script(letter) == "LATIN")
    return latin * 2 > letters.total()


def plain_letter(character: str, *, is_cjk_text: bool) -> str:
    """Return the ASCII letter behind a bold, circled or (outside CJK) full-width one, else ""."""
    point = ord(character)
    if not any(first <= point <= last for first, last in _STYLED_RANGES) or (
        is_cjk_text and point >= 0xFF21 and point <= 0xFF5A
    ):
        return ""
    plain = unicodedata.normalize("NFKC", character)
    if 0x1F110 <= point <= 0x1F189:  # squared and circled letters, which NFKC keeps in brackets or squares
        plain = unicodedata.name(character, " ").rsplit(" ", 1)[-1]
    return plain if len(plain) == 1 and plain.isascii() and plain.isalnum() else ""


def is_cjk(text: str) -> bool:
    """Tell whether a text has Chinese, Japanese or Korean letters."""
    return _CJK.search(text) is not None
