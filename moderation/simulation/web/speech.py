"""Captions of simulated videos, as WebVTT: written by people, or by a machine that hears no full stops."""

from __future__ import annotations

import random
import re
from typing import Any

from moderation.simulation.web import wording
from moderation.simulation.web.families import Family

_MACHINE_SHARE = 0.6
_WORDS_OF_CUE = (5, 11)
_SECONDS_OF_WORD = 0.36
_UNHEARD = re.compile(r"[^\w\s'%$€£@.-]|(?<!\d)[.-]|[.-](?!\d)")


def captions(family: Family, *, rng: random.Random) -> dict[str, Any]:
    """Return a transcript as the API takes it."""
    said = wording.english(family, site=family.kind.replace("_", " "), rng=rng)
    spoken = " ".join(
        (
            rng.choice(wording.words("spoken_openings")),
            said.title,
            *said.paragraphs,
            rng.choice(wording.words("spoken_ends")),
        )
    )
    is_machine = rng.random() < _MACHINE_SHARE
    if is_machine:
        spoken = " ".join(_UNHEARD.sub(" ", spoken).lower().split())
    return {
        "captions": _web_vtt(spoken.split(), rng=rng),
        "language": "en",
        "source": "machine" if is_machine else "author",
    }


def _web_vtt(words: list[str], *, rng: random.Random) -> str:
    cues, at = ["WEBVTT"], rng.uniform(0.2, 3.0)
    while words:
        count = rng.randint(*_WORDS_OF_CUE)
        line, words = words[:count], words[count:]
        ends = at + len(line) * _SECONDS_OF_WORD
        cues.append(f"{_time(at)} --> {_time(ends)}\n{' '.join(line).replace('-->', '')}")
        at = ends + rng.uniform(0.0, 0.8)
    return "\n\n".join(cues) + "\n"


def _time(seconds: float) -> str:
    return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f}"
