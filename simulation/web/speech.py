"""Captions of simulated videos, as WebVTT: written by people, or by a machine that hears no full stops."""

import random
import re
from typing import Any

from simulation.web import wording
from simulation.web.families import Family

_MACHINE_SHARE = 0.6
_WORDS_OF_CUE = (5, 11)
_SECONDS_OF_WORD = 0.36
_UNHEARD = re.compile(r"[^\w\s'%$€£@.-]|(?<!\d)[.-]|[.-](?!\d)")


def captions(family: Family, *, rng: random.Random) -> dict[str, Any]:
    """Return a transcript as the API takes it."""
    words, is_machine = spoken(family, rng=rng)
    return {
        "captions": _web_vtt(words.split(), rng=rng),
        "language": "en",
        "source": "machine" if is_machine else "author",
    }


def spoken(family: Family, *, rng: random.Random) -> tuple[str, bool]:
    """Return what somebody says in a video, and whether a machine wrote it down."""
    text = wording.english(family, site=wording.owner(family), rng=rng)
    words = " ".join(
        (
            rng.choice(wording.words("spoken_openings")),
            text.title,
            *text.paragraphs,
            rng.choice(wording.words("spoken_ends")),
        )
    )
    is_machine = rng.random() < _MACHINE_SHARE
    return (" ".join(_UNHEARD.sub(" ", words).lower().split()) if is_machine else words), is_machine


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
