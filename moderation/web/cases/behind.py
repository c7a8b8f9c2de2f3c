"""What is behind the links and media of a post, prepared for display: pages and pictures, inert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from moderation.models import Revision
from moderation.queries.cases import behind
from moderation.queries.cases.behind import Behind, Hits
from moderation.queries.cases.case_pages import read_link
from moderation.queries.evidence import transcripts
from moderation.queries.evidence.findings import Finding
from moderation.queries.evidence.transcripts import Transcript
from moderation.web.text import inert
from moderation.web.text.text_marks import Segment

_PAGE_CHARACTERS, _PICTURE_CHARACTERS = 3_000, 700


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidAt:
    """What is said in a recording from a time on, with what rules in force name marked."""

    start_ms: int
    segments: list[Segment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page; `segments` are the beginning of its text, with what rules in force name marked.

    Of a recording that an engine heard, `heard` says by which; `said` is its text cue by cue.
    """

    finding: Finding
    segments: list[Segment]
    is_named: bool
    heard: Transcript | None = None
    said: list[SaidAt] = field(default_factory=list)

    @property
    def unsaid(self) -> int:
        """Return how many of the cues are not shown."""
        return len(self.heard.cues) - len(self.said) if self.heard else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A code in a picture: its format, what it says, and the host that this leads to, "" if unknown."""

    format: str
    text: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture; `segments` are the text read from it."""

    finding: Finding
    segments: list[Segment]
    is_named: bool
    leads: list[Lead]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the pages show. `unopened` are addresses of media that were not asked for."""

    pages: list[Page]
    pictures: list[Picture]
    unopened: tuple[str, ...]


def of(revision: Revision, findings: Sequence[Finding], *, at: datetime) -> Shown:
    """Prepare what was found behind a revision's addresses."""
    found = behind.of(revision, findings, at=at)
    return Shown(
        pages=[_page(one, hits) for one, hits in found.pages],
        pictures=[
            Picture(
                finding=one,
                segments=_segments(one.text, hits, most=_PICTURE_CHARACTERS),
                is_named=hits.is_named,
                leads=list(_leads(one, found)),
            )
            for one, hits in found.pictures
        ],
        unopened=found.unopened,
    )


def _page(finding: Finding, hits: Hits) -> Page:
    heard = transcripts.heard(finding.facts)
    segments = [] if heard else _segments(finding.text, hits, most=_PAGE_CHARACTERS)
    said = list(_said(heard, hits)) if heard else []
    return Page(finding=finding, segments=segments, is_named=hits.is_named, heard=heard, said=said)


def _said(heard: Transcript, hits: Hits) -> Iterator[SaidAt]:
    """Yield the first cues; the text in which rules were looked for is these, one on each line."""
    begins = 0
    for cue in heard.cues:
        if begins >= _PAGE_CHARACTERS:
            return
        spans = tuple((start - begins, end - begins) for start, end in hits.spans if start >= begins)
        within = Hits(spans=tuple(span for span in spans if span[1] <= len(cue.text)))
        yield SaidAt(
            start_ms=cue.start_ms,
            segments=_segments(cue.text, within, most=_PAGE_CHARACTERS - begins),
        )
        begins += len(cue.text) + 1


def _segments(text: str, hits: Hits, *, most: int) -> list[Segment]:
    if not text:
        return []
    shown = text[:most].rstrip() + ("…" if len(text) > most else "")
    tones = inert.tones_of((start, end, 1.0) for start, end in hits.spans if end <= most)
    return inert.segments(shown, read_link=read_link, tones=tones)


def _leads(finding: Finding, found: Behind) -> Iterator[Lead]:
    for code in finding.codes:
        text = str(code.get("text", ""))
        yield Lead(format=str(code.get("format", "")), text=text, host=found.host_behind(text))
