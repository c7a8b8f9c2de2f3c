"""Steps 2 and 3: separated letters ("f r e e", "f.r.e.e"), unclickable links, decorated contacts."""

import math
import re
from collections.abc import Iterator

from scoring.normalise import words
from scoring.normalise.edits import Edit

# Three or more single characters in a row, as words, with punctuation around; a gap is at most eight blanks.
_SINGLES = re.compile(r"(?<!\S)[^\w\s]{0,3}(\S(?:[^\S\n]{1,8}\S){2,})[^\w\s]{0,3}(?!\S)")
_GAP = re.compile(r"[^\S\n]+")
# Three or more single letters with the same mark between them.
_DOTTED = re.compile(r"(?<!\w)[^\W_](?:([.\-_*~\u00b7\u2022|+^,])[^\W_])(?:\1[^\W_])+(?![^\W_])")
_DEFANGED = re.compile(
    r"\b(h)(?:xx|\*\*|__)(ps?)(?=:|\[:)|\s?[\[({]\s?(\.|dot|:|://)\s?[\])}]\s?", re.IGNORECASE
)
_MARK = "['\u2019`\u00b4.\\-*_~|\u00b7\u2022]?"
_MESSENGERS = {name.lower(): name for name in ("WhatsAp", "Telegram", "Viber", "WeChat")}
_CONTACT = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(_MARK.join(name) for name in _MESSENGERS)})"
    r"|[\u2719\u271a\u2795\u2295\u254b\u207a](?=\s?\d)",
    re.IGNORECASE,
)
_LONGEST = 20
# What a letter of no known word costs, in units of a word's log rank: splitting must not be worth it.
_UNKNOWN_LETTER = 6.0


def spaced_edits(text: str) -> Iterator[Edit]:
    """Yield the blanks to remove inside words that were written letter by letter.

    If gaps differ, narrow ones are inside words and wider ones between them; otherwise words are found by the
    word list.
    """
    for run in _SINGLES.finditer(text):
        singles = "".join(run.group(1).split())
        if not _may_spell(singles):
            continue
        gaps = [gap.span() for gap in _GAP.finditer(text, run.start(1), run.end(1))]
        narrow = [(start, end) for start, end in gaps if end - start == 1]
        if len(narrow) == len(gaps) and singles.isalpha() and singles.isascii():
            ends = _word_ends(singles)
            narrow = [gap for place, gap in enumerate(gaps, start=1) if place not in ends]
        yield from (Edit(start=start, end=end, text="") for start, end in narrow)


def dotted_edits(text: str) -> Iterator[Edit]:
    """Yield the marks to remove between the letters of a word."""
    for run in _DOTTED.finditer(text):
        if _may_spell(run.group()[::2]):
            yield from (
                Edit(start=place, end=place + 1, text="") for place in range(run.start() + 1, run.end(), 2)
            )


def contact_edits(text: str) -> Iterator[Edit]:
    """Yield messengers' names with marks inside, and signs that pose as the plus of a number."""
    for match in _CONTACT.finditer(text):
        letters = re.sub(r"[\W_]", "", match.group())
        if letters != match.group():
            yield Edit(start=match.start(), end=match.end(), text=_MESSENGERS.get(letters.lower(), " +"))


def link_edits(text: str) -> Iterator[Edit]:
    """Yield what makes hxxp://example[.]com a link again."""
    for match in _DEFANGED.finditer(text):
        head, _, mark = match.groups()
        if head:
            yield Edit(start=match.end(1), end=match.start(2), text="tt" if head == "h" else "TT")
        else:
            yield Edit(start=match.start(), end=match.end(), text="." if mark.lower() == "dot" else mark)


def _may_spell(singles: str) -> bool:
    """Letters, at most half of them posing as something else; few with digits are chat: "2 u 4 a"."""
    letters = sum(character.isalpha() for character in singles)
    least = 2 if len(singles) > 3 and not singles[0].isdigit() else 3
    return letters >= least and 2 * letters >= len(singles)


def _word_ends(letters: str) -> set[int]:
    """Split letters into the likeliest words and return where each ends (Viterbi over word frequency)."""
    lowered = letters.lower()
    costs, lengths = [0.0], [0]
    for end in range(1, len(lowered) + 1):
        costs.append(math.inf)
        lengths.append(1)
        for start in range(max(0, end - _LONGEST), end):
            cost = costs[start] + _cost(lowered[start:end])
            if cost < costs[end]:
                costs[end], lengths[end] = cost, end - start
    ends, place = set(), len(lowered)
    while place:
        ends.add(place)
        place -= lengths[place]
    return ends


def _cost(word: str) -> float:
    rank = words.rank(word)
    if rank is not None:
        return 2.0 + math.log(rank + 2)
    return 1.0 + _UNKNOWN_LETTER * len(word)
