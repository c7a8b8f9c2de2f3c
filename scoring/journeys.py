"""The journey model: two Markov chains over steps and pauses, and a logistic regression over their output.

Step names are the platform's own; they are classified by words in the name, so that a model fitted on one
platform works on another. Fitted in training/train_journeys.py; kept as plain JSON.
"""

import functools
import itertools
import json
import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from scoring.records import JourneyStep
from scoring.release import loading_json
from scoring.trees import Floats

JOURNEYS_FILE = "journeys.json"

# The first class with a word that the name holds; the order matters ("api_open" is no opening by hand).
CLASSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("api", ("api", "schedule", "import")),
    ("paste", ("paste", "clipboard")),
    ("delete", ("delete", "backspace", "undo", "erase")),
    ("key", ("key", "type", "typing", "write", "input")),
    ("scroll", ("scroll", "swipe")),
    ("read", ("read", "view", "feed", "visit", "page", "search", "profile")),
    ("preview", ("preview",)),
    ("attach", ("attach", "upload", "photo", "image", "video", "link", "emoji", "tag")),
    ("focus", ("focus", "click", "tap", "cursor")),
    ("open", ("open", "compose", "new_post", "start")),
    ("pause", ("pause", "idle", "blur", "wait")),
    ("submit", ("submit", "post", "publish", "send")),
    ("other", ()),
)
OTHER = len(CLASSES) - 1
START = len(CLASSES)
# Upper ends of the pauses before a step, in milliseconds; the last bin is open.
PAUSES_MS = (30, 120, 350, 700, 1_500, 4_000, 12_000)
MEASURES = (
    "log ratio per step",
    "log ratio of the whole way",
    "log seconds per step",
    "variation of the pauses",
    "has a paste",
    "log steps",
)

_FORMAT = 1
_FEWEST_STEPS = 2
_UNDERSTOOD_SHARE = 0.5
_WHOLE_SCALE = 10.0


@dataclass(frozen=True)
class JourneyModel:
    """The Markov chains and the regression.

    `log_ratios[from, to, pause]`, shape (classes + 1, classes, pauses), is the log ratio, in nats, of
    spammers to honest authors for that step after that pause; `weights` weigh MEASURES.
    """

    log_ratios: Floats
    weights: tuple[float, ...]
    intercept: float
    trained: dict[str, Any]

    def __post_init__(self) -> None:
        if self.log_ratios.shape != (START + 1, START, len(PAUSES_MS) + 1) or len(self.weights) != len(
            MEASURES
        ):
            raise ValueError("the weights have another shape than this code reads")
        if not np.isfinite(self.log_ratios).all() or not np.isfinite([*self.weights, self.intercept]).all():
            raise ValueError("a weight is not finite")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read journeys.json. Raises Corrupt if it is missing or not a model."""
        with loading_json(folder / JOURNEYS_FILE, form=_FORMAT) as stored:
            return cls(
                log_ratios=np.array(stored["log_ratios"], dtype=np.float64),
                weights=tuple(map(float, stored["weights"])),
                intercept=float(stored["intercept"]),
                trained=dict(stored["trained"]),
            )

    def save(self, folder: Path) -> Path:
        """Write journeys.json into an existing folder and return its path; the same model gives the same
        bytes.
        """
        stored = {
            "format": _FORMAT,
            "trained": self.trained,
            "weights": list(self.weights),
            "intercept": self.intercept,
            "log_ratios": self.log_ratios.round(4).tolist(),
        }
        path = folder / JOURNEYS_FILE
        path.write_text(json.dumps(stored, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
        return path

    def log_ratio(self, steps: Sequence[JourneyStep]) -> float:
        """Return the mean log ratio of the steps in nats, > 0 for spam; NaN if not understood."""
        return self._sum(steps) / len(steps) if is_understood(steps) else math.nan

    def probability(self, steps: Sequence[JourneyStep]) -> float:
        """Return the probability of spam, in (0, 1); NaN if the journey is not understood."""
        if not is_understood(steps):
            return math.nan
        measures = self.measures(steps)
        margin = math.fsum(weight * value for weight, value in zip(self.weights, measures, strict=True))
        return 0.5 * (1.0 + math.tanh(0.5 * (margin + self.intercept)))

    def measures(self, steps: Sequence[JourneyStep]) -> tuple[float, ...]:
        """Return MEASURES of a journey of two or more steps; all are finite."""
        total = self._sum(steps)
        pauses = pauses_of(steps)
        return (
            total / len(steps),
            math.tanh(total / _WHOLE_SCALE),
            math.log1p(statistics.fmean(pauses) / 1000.0),
            min(variation(pauses), 3.0),
            float(any(CLASSES[class_of(step.name)][0] == "paste" for step in steps)),
            math.log(len(steps)),
        )

    def _sum(self, steps: Sequence[JourneyStep]) -> float:
        return math.fsum(float(self.log_ratios[token]) for token in tokens(steps))


def pauses_of(steps: Sequence[JourneyStep]) -> list[int]:
    """Return the milliseconds between steps, one fewer than there are; 0 if a clock ran backwards."""
    return [max(0, later.at_ms - earlier.at_ms) for earlier, later in itertools.pairwise(steps)]


def variation(pauses: Sequence[int]) -> float:
    """Return the coefficient of variation of the pauses: 0 for perfectly even ones."""
    # Not statistics.pstdev: its exact fractions took a tenth of the time to score a post.
    mean = statistics.fmean(pauses)
    return math.sqrt(statistics.fmean((pause - mean) ** 2 for pause in pauses)) / mean if mean > 0 else 0.0


def tokens(steps: Sequence[JourneyStep]) -> list[tuple[int, int, int]]:
    """Return (class before, class, bin of the pause) of each step."""
    triples = []
    before, before_ms = START, steps[0].at_ms if steps else 0
    for step in steps:
        place = class_of(step.name)
        triples.append((before, place, bisect_right(PAUSES_MS, step.at_ms - before_ms)))
        before, before_ms = place, step.at_ms
    return triples


def is_understood(steps: Sequence[JourneyStep]) -> bool:
    """Return whether there are enough steps, with recognised names."""
    if len(steps) < _FEWEST_STEPS:
        return False
    understood = sum(class_of(step.name) != OTHER for step in steps)
    return understood >= _UNDERSTOOD_SHARE * len(steps)


@functools.lru_cache(maxsize=4096)
def class_of(name: str) -> int:
    """Return the index in CLASSES of a step's name, by the first word that it holds."""
    folded = name.lower()
    for place, (_, words) in enumerate(CLASSES):
        if any(word in folded for word in words):
            return place
    return OTHER
