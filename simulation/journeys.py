"""Poster journeys: the steps through the platform's interface that led to a post, with milliseconds."""

import random
from enum import StrEnum

Step = dict[str, str | int]

MOST_STEPS = 120


class Style(StrEnum):
    """How somebody, or something, makes a post."""

    TYPING = "typing"
    PASTING = "pasting"
    SCHEDULED = "scheduled"
    BOT = "bot"
    IMITATION = "imitation"


def journey(style: Style, *, letters: int, rng: random.Random) -> list[Step]:
    """Return the steps in order; `at_ms` starts at 0 and never falls. One `key` step is a burst of keys."""
    names_and_pauses = _WRITERS[style](letters, rng)
    steps: list[Step] = []
    at_ms = 0.0
    for name, pause_ms in names_and_pauses[:MOST_STEPS]:
        at_ms += pause_ms if steps else 0.0
        steps.append({"name": name, "at_ms": round(at_ms)})
    return steps


def _typing(letters: int, rng: random.Random) -> list[tuple[str, float]]:
    """People type in bursts, look around, stop to think, and correct themselves."""
    steps = [("scroll", _human(1800, rng)) for _ in range(rng.randint(0, 6))]
    steps += [("open_composer", _human(2500, rng)), ("focus_text", _human(600, rng))]
    for _ in range(max(2, min(letters // rng.randint(6, 14), 70))):
        steps.append(("key", _human(900, rng)))
        if rng.random() < 0.1:
            steps.append((rng.choice(["delete", "pause", "scroll"]), _human(2600, rng)))
    if rng.random() < 0.08:
        steps.append(("paste", _human(2200, rng)))
    if rng.random() < 0.3:
        steps.append(("preview", _human(3000, rng)))
    return [*steps, ("submit", _human(1500, rng))]


def _pasting(_letters: int, rng: random.Random) -> list[tuple[str, float]]:
    """People paste too: links, recipes, what a friend sent."""
    steps = [("scroll", _human(1500, rng)) for _ in range(rng.randint(0, 2))]
    steps += [
        ("open_composer", _human(2200, rng)),
        ("focus_text", _human(700, rng)),
        ("paste", _human(1600, rng)),
    ]
    steps += [("key", _human(900, rng)) for _ in range(rng.randint(0, 4))]
    return [*steps, ("submit", _human(1800, rng))]


def _scheduled(_letters: int, rng: random.Random) -> list[tuple[str, float]]:
    """Scheduling clients of honest authors look like bots."""
    return [("api_open", 0.0), ("submit", rng.uniform(20, 400))]


def _bot(_letters: int, rng: random.Random) -> list[tuple[str, float]]:
    """Scripts take the shortest way at an even pace."""
    pace = rng.choice([40.0, 100.0, 250.0, 500.0, 1000.0])
    names = rng.choice(
        [
            ["open_composer", "paste", "submit"],
            ["open_composer", "focus_text", "paste", "attach_link", "submit"],
            ["api_open", "submit"],
        ]
    )
    return [(name, pace + rng.uniform(-0.03, 0.03) * pace) for name in names]


def _imitation(letters: int, rng: random.Random) -> list[tuple[str, float]]:
    """Better scripts send key steps with uniform jitter, and forget to hesitate."""
    steps = [("open_composer", rng.uniform(400, 900)), ("focus_text", rng.uniform(200, 500))]
    steps += [("key", rng.uniform(250, 700)) for _ in range(max(3, min(letters // 10, 60)))]
    if rng.random() < 0.3:
        steps.insert(0, ("scroll", rng.uniform(300, 900)))
    return [*steps, ("submit", rng.uniform(300, 900))]


def _human(median_ms: float, rng: random.Random) -> float:
    return median_ms * rng.lognormvariate(0, 0.9)


_WRITERS = {
    Style.TYPING: _typing,
    Style.PASTING: _pasting,
    Style.SCHEDULED: _scheduled,
    Style.BOT: _bot,
    Style.IMITATION: _imitation,
}
