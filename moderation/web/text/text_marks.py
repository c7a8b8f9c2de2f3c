"""Marks on hostile text: invisible, look-alike and stacked characters become labelled segments."""
# ruff: noqa: RUF001 - typographic signs are meant

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django.utils.translation import gettext, ngettext

from moderation.web.text import characters

# Not ASCII, a Latin letter, a dash, quotation mark, ellipsis or euro sign: these never deceive.
_NOT_PLAIN = re.compile("[^\x20-\x7e\n\t\r\u00c0-\u024f\u2013-\u201e\u2026\u20ac]")
_WORD = re.compile(r"[^\W\d_]+")
_MAX_COMBINING = 3
_LABELS_TOLD = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of text with one style.

    `mark` is "" or hidden, lookalike, styled, stacked; `label` is its small print, `title` the long one.
    `tone` in -3..3 is the contribution of the words, negative against spam.
    `link` is "" or scheme, rest, domain, target.
    """

    text: str
    mark: str = ""
    label: str = ""
    title: str = ""
    tone: int = 0
    link: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether the text needs no element around it."""
        return not (self.mark or self.tone or self.link)

    @property
    def classes(self) -> str:
        """The CSS classes of its element."""
        names = [f"link link--{self.link}"] if self.link else []
        names += [f"mark mark--{self.mark}"] if self.mark else []
        names += [f"word word--{'spam' if self.tone > 0 else 'ham'}-{abs(self.tone)}"] if self.tone else []
        return " ".join(names)


class Marker:
    """Marks segments of one text; what is unusual depends on the script of the whole text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_cjk = characters.is_cjk(text)

    @cached_property
    def _is_latin(self) -> bool:
        return characters.is_mostly_latin(self._text)

    def pieces(self, stretch: str) -> Iterator[Segment]:
        """Yield plain and marked segments."""
        if self._is_plain(stretch):
            if stretch:
                yield Segment(stretch)
            return
        kinds = self._kinds(stretch)
        for (mark, detail), group in groupby(zip(kinds, stretch, strict=True), key=lambda pair: pair[0]):
            yield _segment(mark, detail, "".join(character for _, character in group))

    def _is_plain(self, stretch: str) -> bool:
        """Tell whether nothing needs a mark, by few different characters instead of each in its place."""
        if _NOT_PLAIN.search(stretch) is None:
            return True
        letters = set(stretch)
        if any(map(characters.may_deceive, letters)):
            return False
        return not any(map(characters.latin_twin, letters)) or not any(
            map(self._posing, _WORD.findall(stretch))
        )

    def _posing(self, word: str) -> frozenset[str]:
        return frozenset() if word.isascii() else characters.impostors(word, is_latin_text=self._is_latin)

    def _kinds(self, stretch: str) -> list[tuple[str, str]]:
        """Return (mark, detail) for each character; neighbours with equal ones become one segment."""
        kinds = [self._kind(stretch, index) for index in range(len(stretch))]
        for word in _WORD.finditer(stretch):
            posing = self._posing(word[0])
            for index in range(*word.span()) if posing else ():
                if stretch[index] in posing:
                    kinds[index] = ("lookalike", characters.script(stretch[index]))
        _stack(stretch, kinds)
        return kinds

    def _kind(self, stretch: str, index: int) -> tuple[str, str]:
        character = stretch[index]
        if " " <= character <= "~":
            return ("", "")
        label = _hidden_label(stretch, index)
        if label:
            return ("hidden", label)
        return ("styled", "") if characters.plain_letter(character, is_cjk_text=self._is_cjk) else ("", "")


def without_hidden(text: str) -> tuple[str, Counter[str]]:
    """Return a text without its hidden characters, and how many of each label there were."""
    if _NOT_PLAIN.search(text) is None or not any(map(characters.may_deceive, set(text))):
        return text, Counter()
    labels = ["" if " " <= character <= "~" else _hidden_label(text, at) for at, character in enumerate(text)]
    visible = "".join(character for character, label in zip(text, labels, strict=True) if not label)
    return visible, Counter(label for label in labels if label)


def hidden_in_all(labels: Counter[str]) -> Segment:
    """Return one mark for all hidden characters of a text, by their labels."""
    count = labels.total()
    words = ngettext("%(count)s hidden character", "%(count)s hidden characters", count)
    details = ", ".join(f"{label} ×{number}" for label, number in labels.most_common(_LABELS_TOLD))
    return Segment("", mark="hidden", label=words % {"count": count}, title=details)


def _hidden_label(stretch: str, index: int) -> str:
    """Return the label of a hidden character; a joiner where its script needs one is not hidden."""
    character = stretch[index]
    if characters.is_joiner(character) and index and characters.takes_joiners(stretch[index - 1]):
        return ""
    return characters.hidden_label(character)


def _stack(stretch: str, kinds: list[tuple[str, str]]) -> None:
    """Mark combining accents on a letter beyond the few that any language uses.

    A hidden character does not end the stack: following accents would render on its label.
    """
    start = 0
    for index, character in enumerate([*stretch, ""]):
        if (character and characters.is_accent(character)) or (character and kinds[index][0] == "hidden"):
            continue
        pile = [place for place in range(start, index) if kinds[place][0] != "hidden"]
        if len(pile) > _MAX_COMBINING or len(pile) < index - start:
            for place in pile:
                kinds[place] = ("stacked", "")
        start = index + 1


def _segment(mark: str, detail: str, text: str) -> Segment:
    times = f" ×{len(text)}" if len(text) > 1 else ""
    if mark == "hidden":
        return Segment("", mark=mark, label=detail + times, title=_hidden_title(text))
    if mark == "stacked":
        return Segment(
            "", mark=mark, label=f"+{len(text)}", title=gettext("accents piled on a letter, left out")
        )
    if mark == "lookalike":
        twins = "".join(characters.latin_twin(character) for character in text)
        return Segment(
            text,
            mark=mark,
            label=detail[:3].title(),
            title=gettext("%(script)s letters that look like “%(twins)s”")
            % {"script": detail.title(), "twins": twins},
        )
    if mark == "styled":
        plain = "".join(characters.plain_letter(character, is_cjk_text=False) for character in text)
        return Segment(
            text,
            mark=mark,
            label=gettext("styled"),
            title=gettext("styled letters, read “%(plain)s”") % {"plain": plain},
        )
    return Segment(text)


def _hidden_title(text: str) -> str:
    """Return the title of a hidden character; tag characters encode invisible ASCII."""
    message = "".join(
        chr(ord(character) - 0xE0000) for character in text if 0xE0020 <= ord(character) <= 0xE007E
    )
    if message:
        return gettext("invisible tag characters spelling “%(message)s”") % {"message": message}
    return characters.spoken_name(text[0])
