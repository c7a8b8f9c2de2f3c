"""Which words make pages, pictures and captions read like spam: each is left out, and the text read again."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from scoring.evidence_model import READER_FILE
from scoring.platform_head import PlatformHead
from scoring.readings import Readings
from scoring.records import PostRecord
from scoring.release import Release

MOST_WORDS = 30
"""Words of a post's evidence that are named."""
_MOST_TRIED = 120
"""Most distinct words of a text that are left out in turn, at some 2 ms each."""
_LEAST_SHARE = 0.1
"""Share of the strongest word's weight that a word needs to be named."""
_WORD = re.compile(r"\w[\w'\u2019-]*")


def of(record: PostRecord, *, release: Release) -> list[tuple[str, float]]:
    """Return words with how much less their text reads like spam without them, in log-odds, strongest first.

    Words are in lower case and come from texts that read like spam. None if the release has no reader of its
    own.
    """
    if READER_FILE not in release.files:
        return []
    reader = _reader(release.folder)
    shares: dict[str, float] = {}
    for text in Readings([record], manifest=release.manifest).texts:
        margin = reader.margin(text, content_margin=0.0)
        if margin < 0.0:  # rather not spam
            continue
        for word, without in _left_out(text):
            share = margin - reader.margin(without, content_margin=0.0)
            shares[word] = max(shares.get(word, 0.0), share)
    least = _LEAST_SHARE * max(shares.values(), default=0.0)
    strong = [(word, round(share, 4)) for word, share in shares.items() if share > 0.0 and share >= least]
    return sorted(strong, key=lambda pair: (-pair[1], pair[0]))[:MOST_WORDS]


@lru_cache(maxsize=2)
def _reader(folder: Path) -> PlatformHead:
    return PlatformHead.load(folder / READER_FILE)


def words_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text in lower case, with its start and end."""
    for match in _WORD.finditer(text):
        yield match[0].lower(), *match.span()


def _left_out(text: str) -> Iterator[tuple[str, str]]:
    """Yield the first distinct words of a text, each with the text without it."""
    places: dict[str, list[tuple[int, int]]] = {}
    for word, start, end in words_in(text):
        places.setdefault(word, []).append((start, end))
    for word, spans in islice(places.items(), _MOST_TRIED):
        pieces, at = [], 0
        for start, end in spans:
            pieces.append(text[at:start])
            at = end
        yield word, "".join((*pieces, text[at:]))
