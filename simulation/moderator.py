"""A simulated moderator: sees a share of the posts, is mostly right, and takes a while."""

import random
from dataclasses import dataclass

from simulation.events import Truth

# Judgement between published extremes: two annotators agree at alpha .60, one with himself at .79.
EASY_ERROR_SHARE, HARD_ERROR_SHARE = 0.015, 0.08

_REVIEWED_SPAM_SHARE = 0.25
_REVIEWED_TALK_SHARE = 0.07


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedVerdict:
    """A verdict, `after_seconds` after the post; wrong at times, more often where posts are hard."""

    is_spam: bool
    after_seconds: float


def verdict(truth: Truth, *, rng: random.Random) -> SimulatedVerdict | None:
    """Return the moderator's verdict on a post, None for the many that nobody looks at."""
    if rng.random() >= (_REVIEWED_SPAM_SHARE if truth.is_spam else _REVIEWED_TALK_SHARE):
        return None
    is_wrong = rng.random() < (HARD_ERROR_SHARE if truth.is_hard else EASY_ERROR_SHARE)
    return SimulatedVerdict(is_spam=truth.is_spam != is_wrong, after_seconds=rng.expovariate(1 / 5400) + 60)
