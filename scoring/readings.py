"""The texts of a post's evidence, each read by itself: by the content model in the call that has the post's
own text, and judged by the release's reader of evidence.

Of several pieces of a kind the highest answer counts: one page that reads like spam is enough.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, Protocol

import numpy as np

from scoring import unread_script
from scoring.content import ContentScore, Unavailable
from scoring.evidence import EvidencePiece, PageRead
from scoring.platform_head import PlatformHead, PlatformHeads
from scoring.records import PostRecord
from scoring.trees import Floats

MOST_TEXTS = 6
"""Texts of a post, of each kind in turn, so that ten links leave room for a picture."""
_FEWEST_LETTERS = 3
_ARTICLE = 600
"""Characters of an article that are read; the rest of the page follows."""
_KINDS = _PAGE, _PICTURE, _TRANSCRIPT = range(3)
"""In the order of scoring.features.collected.READ."""


class ContentProtocol(Protocol):
    """The interface of a content model."""

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return spam probabilities, float64 (n,). Raises content.Unavailable if there is no answer."""

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Return the score of each text, with its vector. Raises content.Unavailable."""


@dataclass(frozen=True)
class HeadedContent:
    """A content model behind the head of a platform."""

    platform: str
    content: ContentProtocol
    heads: PlatformHeads

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return the answers of the platform's head. Raises content.Unavailable."""
        head = self.heads.by_platform.get(self.platform)
        if head is None:
            return self.content.probabilities(texts)
        return head.probabilities(texts, scores=self.content.scores(texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Probabilities of posts' own texts (n,) and of their evidence (n, 3); NaN unknown.

    `scores` are the content model's own answers to the texts. All are degraded without an answer.
    """

    texts: Floats
    scores: Sequence[ContentScore | None]
    read: Floats
    is_degraded: bool = False


@dataclass(frozen=True, slots=True)
class _Text:
    row: int
    kind: int
    text: str


def unknown(rows: int) -> Floats:
    """Return the readings of posts without evidence: float64 (n, 3), NaN."""
    return np.full((rows, len(_KINDS)), np.nan)


class Readings:
    """The texts to read in the evidence of records, in the order of `texts`; `rows` is the number of all
    records, with or without evidence.
    """

    def __init__(
        self, records: Sequence[PostRecord], *, manifest: Mapping[str, Any], rows: int | None = None
    ) -> None:
        self.rows = len(records) if rows is None else rows
        self._asked = [
            _Text(row, kind, text)
            for row, record in enumerate(records)
            for kind, text in _texts(record, manifest=manifest)
        ]

    @property
    def texts(self) -> list[str]:
        """Return the texts to read, at most MOST_TEXTS of a post."""
        return [text.text for text in self._asked]

    def read_by(self, reader: PlatformHead | None, *, scores: Sequence[ContentScore]) -> Floats:
        """Return the highest probability of each kind by record, over its texts: float64 (n, 3), NaN
        without any. `scores` are the content model's answers to the texts, of which there are none without
        a reader.
        """
        highest_read = unknown(self.rows)
        if reader is not None and self._asked:
            probabilities = reader.probabilities(self.texts, scores=scores)
            for text, probability in zip(self._asked, probabilities, strict=True):
                highest_read[text.row, text.kind] = np.fmax(highest_read[text.row, text.kind], probability)
        return highest_read


def ask(
    records: Sequence[PostRecord],
    *,
    known: Sequence[ContentScore | None],
    content: ContentProtocol,
    heads: PlatformHeads,
    evidence: Readings,
    reader: PlatformHead | None,
) -> Answers:
    """Query the content model once, for own texts that are not `known` and for all texts of evidence, which
    the `reader` corrects. The platform's head corrects the scores, known ones too.

    Texts that need the model while it is unavailable are unknown, and the answers degraded.
    """
    scores = list(known)
    places = [place for place, record in enumerate(records) if scores[place] is None and record.text.strip()]
    read = unknown(evidence.rows)
    is_degraded = False
    if places or evidence.texts:
        try:
            answers = content.scores([*(records[place].text for place in places), *evidence.texts])
        except Unavailable:
            is_degraded = True
        else:
            for place, score in zip(places, answers, strict=False):
                scores[place] = score
            read = evidence.read_by(reader, scores=answers[len(places) :])
    probabilities = [heads.read(record, score) for record, score in zip(records, scores, strict=True)]
    return Answers(texts=np.array(probabilities), scores=scores, read=read, is_degraded=is_degraded)


def _texts(record: PostRecord, *, manifest: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield kind and text of what to read: pages on other sites first, each kind in turn."""
    if not record.evidence:
        return
    pieces = sorted(record.evidence, key=lambda piece: not piece.leads_elsewhere)
    by_kind = (
        [(kind, text) for text in dict.fromkeys(filter(_is_text, map(text_of, pieces)))]
        for kind, text_of in ((_PAGE, _of_page), (_PICTURE, _of_picture), (_TRANSCRIPT, _of_transcript))
    )
    pairs = (pair for pair in chain.from_iterable(zip_longest(*by_kind)) if pair is not None)
    count = 0
    for kind, text in pairs:
        # A model answers even if it cannot read a script.
        if unread_script.in_release(text, platform="", manifest=manifest) is not None:
            continue
        yield kind, text
        count += 1
        if count == MOST_TEXTS:
            return


def _is_text(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= _FEWEST_LETTERS


def _of_page(piece: EvidencePiece) -> str:
    return "" if piece.page is None else page_text(piece.page)


def page_text(page: PageRead) -> str:
    """Return the text of a page for reading: its title, how its article begins, and all its text, with the
    buttons and banners that an article lacks.
    """
    return "\n".join(filter(None, (page.title, page.article[:_ARTICLE], page.text)))


def _of_picture(piece: EvidencePiece) -> str:
    return (piece.picture.text or "") if piece.picture is not None else ""


def _of_transcript(piece: EvidencePiece) -> str:
    return piece.transcript or ""
