"""This process's clients of the topics model.

It is the same for every release, with the vectors of the shipped content model: a policy's threshold outlives
promotions.
"""

from functools import lru_cache

from django.conf import settings

from moderation import scorer
from scoring.topics import TopicModel
from scoring.triton_calls import FIRST, LAST

AWAITED_SECONDS = 0.06
"""Of the 300 ms of `POST /scores`: it is asked after content, and only while a policy is active."""


def client(*, is_awaited: bool) -> TopicModel:
    """Return the client of scoring; one for a sender who waits gives up early."""
    seconds = AWAITED_SECONDS if is_awaited else settings.TRITON_TIMEOUT_SECONDS
    return current(seconds, FIRST, is_awaited=is_awaited)


def patient(*, seconds: float | None = None) -> TopicModel:
    """Return a client whose requests let all scoring go first."""
    return current(seconds or settings.TRITON_TIMEOUT_SECONDS, LAST)


@lru_cache(maxsize=8)
def current(timeout_seconds: float, priority: int, *, is_awaited: bool = False) -> TopicModel:
    """Return a client; tests replace it here and nowhere else."""
    return TopicModel(
        url=settings.TRITON_URL,
        content=scorer.shipped_content(is_awaited=is_awaited, priority=priority),
        timeout_seconds=timeout_seconds,
        priority=priority,
    )
