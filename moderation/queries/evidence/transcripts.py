"""What is said in videos: captions that platforms sent, and what an engine heard, in one shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moderation.evidence.facts import Cue
from moderation.models import Revision

MOST_CUES = 500
"""Cues of a transcript that are shown and answered; more are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What is said, and when; `language` and `source` are empty if unknown.

    `seconds` is how much an engine listened to, None of captions. `is_cut` says that there is more.
    """

    language: str
    source: str
    seconds: float | None = None
    cues: tuple[Cue, ...]
    is_cut: bool


def sent(revision: Revision) -> tuple[Transcript, ...]:
    """Return the captions that the platform sent with a revision, in its order."""
    return tuple(
        Transcript(
            language=transcript["language"] or "",
            source=transcript["source"] or "",
            cues=tuple(Cue(start_ms=start, end_ms=end, text=text) for start, end, text in transcript["cues"]),
            is_cut=bool(transcript["is_cut"]),
        )
        for transcript in revision.transcripts
    )


def heard(facts: Mapping[str, Any]) -> Transcript | None:
    """Return what an engine heard, from the facts of evidence; None if it is no recording."""
    if "cues" not in facts:
        return None
    return Transcript(
        language="",
        source=str(facts["source"]),
        seconds=facts["seconds"],
        cues=tuple(Cue(**cue) for cue in facts["cues"]),
        is_cut=bool(facts["is_cut"]),
    )
