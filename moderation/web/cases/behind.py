"""What is behind the links and media of a post, prepared for display: pages and pictures, inert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from moderation.models import Revision
from moderation.queries.cases import behind
from moderation.queries.cases.behind import Behind, Hits
from moderation.queries.cases.case_pages import read_link
from moderation.queries.evidence.findings import Finding
from moderation.web.text import inert
from moderation.web.text.text_marks import Segment

_PAGE_CHARACTERS, _PICTURE_CHARACTERS = 3_000, 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page; `segments` are the beginning of its text, with what rules in force name marked."""

    finding: Finding
    segments: list[Segment]
    is_named: bool


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
        pages=[
            Page(
                finding=one, segments=_segments(one.text, hits, most=_PAGE_CHARACTERS), is_named=hits.is_named
            )
            for one, hits in found.pages
        ],
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
