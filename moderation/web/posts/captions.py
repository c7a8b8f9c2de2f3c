"""Captions of a video on a page: the first of them, and how many are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from moderation.queries.evidence.transcripts import MOST_CUES

Cue = TypeVar("Cue")


def first_cues(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Return the cues that are shown."""
    return cues[:MOST_CUES]


def cues_left_out(cues: Sequence[object]) -> int:
    """Return how many are not shown."""
    return max(0, len(cues) - MOST_CUES)
