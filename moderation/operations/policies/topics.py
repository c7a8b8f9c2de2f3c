"""Ask about topics in words for a platform; nothing is kept."""

import math
from collections.abc import Sequence

from moderation import topic_model
from scoring.topics import has_words as has_words  # noqa: PLC0414 - what a topic needs, for the API
from scoring.triton_calls import LAST, Unavailable


class NotAnswered(Exception):
    """The topics model did not answer."""


PROBE_SECONDS = 0.3
"""Somebody waits for the page that says whether the model answers."""


def is_answering() -> bool:
    """Tell whether the topics model answers now."""
    return topic_model.current(PROBE_SECONDS, LAST).is_ready()


def score(texts: Sequence[str], *, topics: Sequence[str]) -> list[list[float | None]]:
    """Return for each text how probably it is about each topic, None for a text without words.

    Raises NotAnswered.
    """
    try:
        answers = topic_model.patient().probabilities(texts, topics=topics)
    except Unavailable as reason:
        raise NotAnswered("The topics model does not answer now.") from reason
    return [[None if math.isnan(value) else round(value, 4) for value in row] for row in answers.tolist()]
