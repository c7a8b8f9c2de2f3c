"""What is behind the links and media of a post, prepared for display, inert: pages, pictures, captions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any

from moderation.models import Revision
from moderation.queries.cases import behind
from moderation.queries.cases.behind import Behind, Hits
from moderation.queries.cases.case_pages import read_link
from moderation.queries.evidence import transcripts
from moderation.queries.evidence.findings import Finding
from moderation.queries.evidence.transcripts import Transcript
from moderation.web.text import inert
from moderation.web.text.text_marks import Segment

_PAGE_CHARACTERS, _PICTURE_CHARACTERS, _CUE_CHARACTERS = 3_000, 700, 2_000
_MOST_MARKED = 300
_STRONG, _FAINT = 2, 1

Words = Sequence[Sequence[Any]] | None
"""A score's `evidence_words`."""
Shares = Mapping[str, float]
"""By word how much less its text reads like spam without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidAt:
    """A cue of a recording, marked like the text of a page."""

    start_ms: int
    segments: list[Segment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A code in a picture: its format, its content, and the host that it names, "" if unknown."""

    format: str
    text: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture; `segments` are the text read from it."""

    finding: Finding
    segments: list[Segment]
    is_named: bool
    is_like_spam: bool
    leads: list[Lead]

    @property
    def is_flagged(self) -> bool:
        """Whether it holds a code or what a rule names."""
        return self.is_named or bool(self.leads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page; `segments` are the beginning of its text, in which is marked what rules in force name
    (`is_named`) and what makes it read like spam (`is_like_spam`). `picture` is that of its preview.

    Of a recording that an engine heard, `heard` says by which; `said` is its text cue by cue. Beside what a
    cloaked link shows to people, `to_programs` is what it shows to programs.
    """

    finding: Finding
    segments: list[Segment]
    is_named: bool
    picture: Picture | None = None
    is_like_spam: bool = False
    heard: Transcript | None = None
    said: list[SaidAt] = field(default_factory=list)
    to_programs: "Page | None" = None

    @property
    def is_for_people(self) -> bool:
        """Whether people get this page, and programs another."""
        return self.finding.is_browsers and bool(self.finding.differs_for_browser)

    @property
    def is_flagged(self) -> bool:
        """Whether a warning is shown with its address, on either of a cloaked link's pages."""
        found = self.finding
        return (
            found.leads_elsewhere
            or found.asks_password
            or bool(found.facts.get("downloads"))
            or bool(found.differs_for_browser)
            or bool(found.differs_from_preview)
            or self.is_named
            or (self.picture is not None and self.picture.is_flagged)
            or (self.to_programs is not None and self.to_programs.is_flagged)
        )

    @property
    def unsaid(self) -> int:
        """Return how many of the cues are not shown."""
        return len(self.heard.cues) - len(self.said) if self.heard else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Captions:
    """A video's captions, as the platform sent them: the first cues, marked like pages."""

    transcript: Transcript
    said: list[SaidAt]
    is_like_spam: bool

    @property
    def unsaid(self) -> int:
        """Return how many of the cues are not shown."""
        return len(self.transcript.cues) - len(self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the pages show. `pictures` are those without a page among `pages` that they are the preview of;
    `unopened` are addresses of media that were not asked for.
    """

    pages: list[Page]
    pictures: list[Picture]
    picture_count: int
    unopened: tuple[str, ...]


def of(revision: Revision, findings: Sequence[Finding], *, at: datetime, words: Words = None) -> Shown:
    """Prepare what was found behind a revision's addresses."""
    material = behind.of(revision, findings, at=at)
    shares = _shares(words)
    pictures = [
        Picture(
            finding=picture,
            segments=_segments(picture.text, hits, shares, most=_PICTURE_CHARACTERS),
            is_named=hits.is_named,
            is_like_spam=_is_marked(picture.text, shares, most=_PICTURE_CHARACTERS),
            leads=list(_leads(picture, material)),
        )
        for picture, hits in material.pictures
    ]
    previews = {one.finding.row.url: one for one in pictures if one.finding.is_preview}
    pages = [
        replace(_page(page, hits, shares), picture=previews.pop(page.facts.get("preview_url", ""), None))
        for page, hits in material.pages
    ]
    return Shown(
        pages=_paired(pages),
        pictures=[one for one in pictures if not one.finding.is_preview or one.finding.row.url in previews],
        picture_count=len(pictures),
        unopened=material.unopened,
    )


def captions(revision: Revision, *, words: Words = None) -> list[Captions]:
    """Prepare the captions that came with a revision."""
    shares = _shares(words)
    return [_captions(track, shares) for track in transcripts.sent(revision)]


def _captions(transcript: Transcript, shares: Shares) -> Captions:
    texts = [(cue.start_ms, cue.text) for cue in transcript.cues[: transcripts.MOST_CUES]]
    return Captions(
        transcript=transcript,
        said=[
            SaidAt(start_ms=start_ms, segments=_segments(text, Hits(), shares, most=_CUE_CHARACTERS))
            for start_ms, text in texts
        ],
        is_like_spam=any(_is_marked(text, shares, most=_CUE_CHARACTERS) for _, text in texts),
    )


def _shares(words: Words) -> Shares:
    return {str(word): float(share) for word, share in words or ()}


def _page(finding: Finding, hits: Hits, shares: Shares) -> Page:
    heard = transcripts.heard(finding.facts)
    return Page(
        finding=finding,
        segments=[] if heard else _segments(finding.text, hits, shares, most=_PAGE_CHARACTERS),
        is_named=hits.is_named,
        is_like_spam=_is_marked(finding.text, shares, most=_PAGE_CHARACTERS),
        heard=heard,
        said=list(_said(heard, hits, shares)) if heard else [],
    )


def _paired(pages: Sequence[Page]) -> list[Page]:
    """Put both pages of a cloaked link into one."""
    cloaked = {page.finding.row.url for page in pages if page.is_for_people}
    to_programs = {page.finding.row.url: page for page in pages if not page.finding.is_browsers}
    return [
        replace(page, to_programs=to_programs.get(page.finding.row.url)) if page.is_for_people else page
        for page in pages
        if page.is_for_people or page.finding.row.url not in cloaked
    ]


def _said(heard: Transcript, hits: Hits, shares: Shares) -> Iterator[SaidAt]:
    """Yield the first cues; rules were matched against all cues, one a line."""
    begins = 0
    for cue in heard.cues:
        if begins >= _PAGE_CHARACTERS:
            return
        spans = tuple((start - begins, end - begins) for start, end in hits.spans if start >= begins)
        cue_hits = Hits(spans=tuple(span for span in spans if span[1] <= len(cue.text)))
        yield SaidAt(
            start_ms=cue.start_ms,
            segments=_segments(cue.text, cue_hits, shares, most=_PAGE_CHARACTERS - begins),
        )
        begins += len(cue.text) + 1


def _segments(text: str, hits: Hits, shares: Shares, *, most: int) -> list[Segment]:
    if not text:
        return []
    excerpt = text[:most].rstrip() + ("…" if len(text) > most else "")
    spans = [(start, end) for start, end in hits.spans if end <= most]
    tones = inert.tones_of((start, end, 1.0) for start, end in spans)
    strongest = max(shares.values(), default=0.0)
    for start, end, share in _words(text[:most], shares):
        if all(end <= other[0] or start >= other[1] for other in spans):
            # Fainter than what a rule names, and as strong in every text of the post.
            tones.append((start, end, _STRONG if share > strongest / 2 else _FAINT))
    return inert.segments(excerpt, read_link=read_link, tones=tones)


def _is_marked(text: str, shares: Shares, *, most: int) -> bool:
    return next(_words(text[:most], shares), None) is not None


def _words(text: str, shares: Shares) -> Iterator[tuple[int, int, float]]:
    """Yield the places of the words in a text, with their shares."""
    if not shares:
        return
    matches = ((start, end, shares.get(word, 0.0)) for word, start, end in behind.words_in(text))
    yield from islice((place for place in matches if place[2] > 0.0), _MOST_MARKED)


def _leads(finding: Finding, found: Behind) -> Iterator[Lead]:
    for code in finding.codes:
        text = str(code.get("text", ""))
        yield Lead(format=str(code.get("format", "")), text=text, host=found.host_behind(text))
