"""Captions of a video, WebVTT or SRT → what is said, and when."""

from __future__ import annotations

import html
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from moderation.evidence.facts import Cue, Reason, Unreadable, storable

MOST_BYTES = 200_000
MOST_CUES = 2_000
MOST_TEXT = 20_000
MOST_LINE_CHARACTERS = 1_000
"""Only the beginning of a longer line is read: the library's search for tags takes quadratic time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFacts:
    """What captions say. `is_cut` says that only the beginning was read."""

    language: str
    source: str
    cues: tuple[Cue, ...]
    text: str
    is_cut: bool


def read(data: bytes, hints: Mapping[str, str]) -> TranscriptFacts:
    """Return what captions say; `hints` are their `language` and `source`. Raises Unreadable."""
    if len(data) > MOST_BYTES:
        raise Unreadable(Reason.TOO_LARGE)
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as other:
        raise Unreadable(Reason.BROKEN) from other
    captions = _parsed(content)
    cues = tuple(_cues(captions[:MOST_CUES]))
    text = "\n".join(cue.text for cue in cues)
    return TranscriptFacts(
        language=hints.get("language", ""),
        source=hints.get("source", ""),
        cues=cues,
        text=storable(text, most=MOST_TEXT),
        is_cut=len(captions) > MOST_CUES or len(text) > MOST_TEXT,
    )


def transcript(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return captions that a platform sent, with their language and source, as a revision stores them.

    Raises Unreadable.
    """
    facts = read(str(sent["captions"]).encode(), {})
    return {
        "language": sent.get("language", ""),
        "source": sent.get("source", ""),
        "cues": [[cue.start_ms, cue.end_ms, cue.text] for cue in facts.cues],
        "is_cut": facts.is_cut,
    }


def _parsed(said: str) -> Sequence[webvtt.Caption]:
    """Return the captions of a file, whose content tells which of the two formats it has."""
    lines = "\n".join(line[:MOST_LINE_CHARACTERS] for line in said.splitlines())
    is_web = lines.startswith("WEBVTT")
    try:
        file = webvtt.from_buffer(io.StringIO(lines), format="vtt" if is_web else "srt")
    except (MalformedFileError, MalformedCaptionError) as malformed:
        raise Unreadable(Reason.BROKEN if is_web else Reason.WRONG_KIND) from malformed
    if not file.captions:
        raise Unreadable(Reason.BROKEN if is_web else Reason.WRONG_KIND)
    return list(file.captions)


def _cues(captions: Sequence[webvtt.Caption]) -> Iterator[Cue]:
    before = ""
    for caption in captions:
        text = " ".join(storable(html.unescape(caption.text)).split())
        # Captions made by machines roll: each line stays for a second cue.
        if text and text != before:
            yield Cue(
                start_ms=caption.start_time.in_milliseconds(),
                end_ms=caption.end_time.in_milliseconds(),
                text=text,
            )
        before = text
