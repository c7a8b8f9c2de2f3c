"""A third language that nobody speaks: every message accented, longer by its doubled vowels and in brackets.

What a page says without a bracket around it is data, or was never translated; what no longer fits is too
narrow for German or Finnish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.apps import apps
from django.db import models
from django.utils import translation

BEGIN, END = "\u27e6", "\u27e7"
# Placeholders, tags and entities in a message keep their letters.
_KEPT = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{\w*\}|<[^>]*>|&\w+;)")
_ACCENTS = str.maketrans("aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝçñšž")
_VOWELS = re.compile(r"[aeiouAEIOU]")
_BRACKET = re.compile(f"([{BEGIN}{END}])")
_SILENT = {"script", "style", "code", "kbd"}
_READ = {"aria-label", "title", "placeholder", "alt"}
_SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_RUN = re.compile(r"[^\W\d_]{2,}(?:[ ’'-][^\W\d_]+)*")
# Names, units and abbreviations that are the same in every language.
_NAMES = re.compile(
    r"Spamdesk|DistilBERT|Triton|PostgreSQL|UTC|SHA|JSON|CSV|Parquet|English|Deutsch|Esc|Enter|Ctrl|"
    r"\b(?:TAG|Cyr|Gre|ZWSP|RLO|PDF|PDI|LRI)\b|"  # marks of characters, with their names beside them
    r"\b(?:min|ms|pp|https?|hxxps?)\b|[\w.-]+\.(?:example|jsonl|csv)|"
    r"\b[0-9a-f]{12}\b"  # a release, also one that is kept here and has no row
)


def pseudo(message: str) -> str:
    """Return a message in the third language."""
    if message == "yes,no":
        return ",".join(pseudo(word) for word in message.split(","))
    parts = _KEPT.split(message)
    parts[::2] = [_longer(part) for part in parts[::2]]
    return f"{BEGIN}{''.join(parts)}{END}" if any(map(str.isalpha, message)) else message


def _longer(words: str) -> str:
    return _VOWELS.sub(lambda vowel: vowel.group() + vowel.group().lower(), words).translate(_ACCENTS)


@pytest.fixture
def pseudo_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process speak the third language."""
    real: Any = translation._trans  # type: ignore[attr-defined]  # where every call of gettext ends
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        monkeypatch.setattr(real, name, _translated(getattr(real, name)))


def _translated(said: Callable[..., str]) -> Callable[..., str]:
    return lambda *given: pseudo(said(*given))


def untranslated(body: str, data: str) -> set[str]:
    """Return what a page says outside of every bracket that the rows do not say."""
    reader = _Reader()
    reader.feed(body)
    outside = (_NAMES.sub(" ", words) for words in reader.outside)
    return {
        run for words in outside for run in _RUN.findall(words) if run not in data and not _is_character(run)
    }


def _is_character(words: str) -> bool:
    """Return whether these are the name of a character, as Unicode's charts print it."""
    try:
        return bool(unicodedata.lookup(words.upper()))
    except KeyError:
        return False


def all_data() -> str:
    """Return every value of every row, a row a line; codes of choices are no data."""
    rows = (row for model in apps.get_app_config("moderation").get_models() for row in _rows(model))
    # Invisible characters are shown as marks, between which the words stand.
    return "".join(character for character in "\n".join(rows) if unicodedata.category(character) != "Cf")


def _rows(model: type[models.Model]) -> Iterator[str]:
    free = [field.attname for field in model._meta.concrete_fields if not field.choices]
    for row in model._default_manager.values_list(*free):
        yield " ".join(map(str, row))


class _Reader(HTMLParser):
    """Collects the text of a page, and attributes that are read, heard or said later by a script."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outside: list[str] = []
        self._silent = 0
        self._depth = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note the attributes."""
        self._silent += tag in _SILENT
        depth = self._depth
        for name, value in attributes:
            if value and (name in _READ or (name.startswith("data-") and _SENTENCE.search(value))):
                self._depth = 0
                self._note(value)
        self._depth = depth

    def handle_endtag(self, tag: str) -> None:
        """Leave code and keys."""
        self._silent -= tag in _SILENT

    def handle_data(self, words: str) -> None:
        """Note text."""
        if not self._silent:
            self._note(words)

    def _note(self, words: str) -> None:
        """Keep what stands outside of brackets; a message may have tags, or another message, in it."""
        for part in _BRACKET.split(words):
            self._depth += {BEGIN: 1, END: -1}.get(part, 0)
            if not self._depth and part not in {BEGIN, END}:
                self.outside.append(part)
