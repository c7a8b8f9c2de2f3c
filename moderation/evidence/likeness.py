"""Whether two fetches show the same page, and whether a page is what its preview says.

Pages change a little all the time: dates, teasers, banners, counters. So distinct words are compared, not
their order, and the smaller page decides: what one has more than the other says nothing.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

MOST_WORDS = 3_000
LEAST_WORDS = 8
"""Pages of fewer distinct words are not compared: they are empty, or only scripts fill them."""
LEAST_SHARED = 0.5
"""Share of the smaller page's words that the same page shows again; unrelated pages share a fifth."""
LEAST_PREVIEW_WORDS, LEAST_PAGE_WORDS = 4, 30
LEAST_PREVIEW_SHARED = 0.2
_WORD = re.compile(r"\w{3,}")
# Thai and Lao, Burmese, Khmer, Kana, Han, Hangul.
_WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3,}"
)
_PIECE = 3


def differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool | None:
    """Return whether the facts of two pages are those of different pages; None if too little can be read.

    A page that asks for a password is never the same as one that does not.
    """
    words, others = _words(_said(one)), _words(_said(other))
    fewest = min(len(words), len(others))
    if fewest < LEAST_WORDS:
        return None
    return len(words & others) < LEAST_SHARED * fewest or _asks_password(one) != _asks_password(other)


def differs_from_preview(facts: Mapping[str, Any], *, preview: Mapping[str, Any]) -> bool | None:
    """Return whether a page says nothing of what a preview promises; None if too little can be read.

    A preview is what platforms make of OpenGraph's title and description. `preview` are the facts of the
    page that it is taken from, which may be another than the one that people get.
    """
    named = preview.get("open_graph") or {}
    promised = _words(f"{named.get('og:title', '')} {named.get('og:description', '')}")
    page_words = _words(str(facts.get("text") or ""))
    if len(promised) < LEAST_PREVIEW_WORDS or len(page_words) < LEAST_PAGE_WORDS:
        return None
    return len(promised & page_words) < LEAST_PREVIEW_SHARED * len(promised)


def _said(facts: Mapping[str, Any]) -> str:
    return f"{facts.get('title') or ''} {facts.get('text') or ''}"


def _words(text: str) -> set[str]:
    """Return the distinct words of a text; of scripts without spaces, pieces of three characters."""
    words: set[str] = set()
    for match in islice(_WORD.finditer(text.casefold()), MOST_WORDS):
        word = match[0]
        if _WITHOUT_SPACES.search(word):
            words.update(word[start : start + _PIECE] for start in range(len(word) - _PIECE + 1))
        elif len(word) > _PIECE:  # shorter ones are in every text
            words.add(word)
    return words


def _asks_password(facts: Mapping[str, Any]) -> bool:
    return any(form.get("asks_password") for form in facts.get("forms") or ())
