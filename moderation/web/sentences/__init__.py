"""What the models looked at, in sentences a moderator can check. A test demands one for every feature."""

from __future__ import annotations

import math

from moderation.web.quantities import count
from moderation.web.sentences import context, feedback, journey, social
from moderation.web.sentences.sentence import Sentence, share

CONTENT = "content.text"
_SENTENCES: dict[str, Sentence] = {
    **context.SENTENCES,
    **social.SENTENCES,
    **journey.SENTENCES,
    **feedback.SENTENCES,
    CONTENT: Sentence(share("The text by itself: {} spam"), unknown="The content model did not answer"),
}


def sentence(feature: str, value: float) -> str:
    """Return what a feature's value says in words; one that is unknown here is said by its name."""
    known = _SENTENCES.get(feature)
    if known:
        return known.of(value)
    return f"{feature}: {'unknown' if math.isnan(value) else count(value)}"


def has_sentence(feature: str) -> bool:
    """Tell whether a feature has a sentence of its own."""
    return feature in _SENTENCES
