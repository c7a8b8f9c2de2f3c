"""Captions of a video, WebVTT or SRT → what is said, and when."""

import html
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from moderation.evidence.facts import Reason, Unreadable, storable

MOST_BYTES = 200_000
MOST_CUES = 2_000
MOST_TEXT = 20_000
MOST_LINE_CHARACTERS = 1_000
"""Only the beginning of a longer line is read: the library's search for tags takes quadratic time."""


def transcript(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return captions that a platform sent, with their language and source, as a revision stores them.

    `is_cut` says that only the beginning was read. Raises Unreadable.
    """
    content = str(sent["captions"])
    if len(content.encode()) > MOST_BYTES:
        raise Unreadable(Reason.TOO_LARGE)
    captions = _parsed(content.removeprefix("\ufeff"))
    cues = list(_cues(captions[:MOST_CUES]))
    length = len("\n".join(text for _, _, text in cues))
    return {
        "language": sent.get("language", ""),
        "source": sent.get("source", ""),
        "cues": cues,
        "is_cut": len(captions) > MOST_CUES or length > MOST_TEXT,
    }


def _parsed(content: str) -> Sequence[webvtt.Caption]:
    """Return the captions of a file, whose content tells which of the two formats it has."""
    lines = "\n".join(line[:MOST_LINE_CHARACTERS] for line in content.splitlines())
    is_web = lines.startswith("WEBVTT")
    try:
        file = webvtt.from_buffer(io.StringIO(lines), format="vtt" if is_web else "srt")
    except (MalformedFileError, MalformedCaptionError) as malformed:
        raise Unreadable(Reason.BROKEN if is_web else Reason.WRONG_KIND) from malformed
    if not file.captions:
        raise Unreadable(Reason.BROKEN if is_web else Reason.WRONG_KIND)
    return list(file.captions)


def _cues(captions: Sequence[webvtt.Caption]) -> Iterator[list[Any]]:
    """Yield start and end in milliseconds, and what is said."""
    before = ""
    for caption in captions:
        text = " ".join(storable(html.unescape(caption.text)).split())
        # Captions made by machines roll: each line stays for a second cue.
        if text and text != before:
            yield [caption.start_time.in_milliseconds(), caption.end_time.in_milliseconds(), text]
        before = text
