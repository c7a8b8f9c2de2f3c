"""A simulated moderator: sees a share of the posts, is mostly right, and takes a while."""

from __future__ import annotations

import random
from dataclasses import dataclass

from moderation.simulation.events import Truth

ACCURACY = 0.97

_REVIEWED_SPAM_SHARE = 0.25
_REVIEWED_TALK_SHARE = 0.07


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedVerdict:
    """A verdict, `after_seconds` after the post; wrong in 3 of 100 cases."""

    is_spam: bool
    after_seconds: float


def verdict(truth: Truth, *, rng: random.Random) -> SimulatedVerdict | None:
    """Return the moderator's verdict on a post, None for the many that nobody looks at."""
    if rng.random() >= (_REVIEWED_SPAM_SHARE if truth.is_spam else _REVIEWED_TALK_SHARE):
        return None
    is_right = rng.random() < ACCURACY
    return SimulatedVerdict(is_spam=truth.is_spam == is_right, after_seconds=rng.expovariate(1 / 5400) + 60)
