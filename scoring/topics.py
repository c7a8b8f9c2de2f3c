"""Client of the topics model: texts and topics in words in, probabilities that a text is about a topic out.

No training for the topic: triton_repo/topics/ compares sentence embeddings, or asks a model of natural
language inference whether the text entails "This text is about …" (zero-shot classification, Yin et al.
2019). Which of the two is served does not show here.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import normalise
from scoring.triton_calls import FIRST, TritonCalls, Unavailable, shortened

MODEL, VERSION = "topics", "1"
MAX_TOPIC_CHARACTERS = 200
PROBE = ("Are you ready?", "anything")


def has_words(topic: str) -> bool:
    """Tell whether a topic says anything: without a letter or digit it would match what cannot be read."""
    return any(map(str.isalnum, normalise.normalise(topic).text))


class TopicModel:
    """The topics model on a Triton server. Share one per process; safe across threads and forks."""

    def __init__(
        self,
        *,
        url: str,
        priority: int = FIRST,
        timeout_seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as ContentModel does; `timeout_seconds` limits a call of at most 16 texts."""
        self._calls = TritonCalls(
            url=url,
            model=MODEL,
            version=VERSION,
            priority=priority,
            timeout_seconds=timeout_seconds,
            clock=clock,
        )

    def probabilities(self, texts: Sequence[str], *, topics: Sequence[str]) -> NDArray[np.float64]:
        """Answer P(about) of each text and topic: float64 array of shape (n_texts, n_topics), in [0, 1].

        NaN for a text without visible characters. Raises Unavailable.
        """
        answers = np.full((len(texts), len(topics)), np.nan)
        normalised = [normalise.normalise(shortened(text)).text for text in texts]
        places = [row for row, text in enumerate(normalised) if text.strip()]
        if not topics:
            return answers
        for rows in self._calls.batches(places):
            answers[rows] = self._batch([normalised[row] for row in rows], topics)
        return answers

    def is_ready(self) -> bool:
        """Request one inference, whatever the breaker's state."""
        try:
            self._batch([PROBE[0]], [PROBE[1]])
        except Unavailable:
            return False
        return True

    def _batch(self, texts: Sequence[str], topics: Sequence[str]) -> NDArray[np.float64]:
        names = [topic[:MAX_TOPIC_CHARACTERS] for topic in topics]
        return self._calls.infer(
            {
                "TEXT": [[text] for text in texts],
                "TOPICS": [names] * len(texts),
            },
            outputs=("PROBABILITIES",),
            check=lambda answers: _checked(answers["PROBABILITIES"], shape=(len(texts), len(topics))),
        )


def _checked(answer: Any, *, shape: tuple[int, int]) -> NDArray[np.float64]:
    if not isinstance(answer, np.ndarray) or answer.shape != shape:
        raise Unavailable(f"expected probabilities of shape {shape}, got {getattr(answer, 'shape', None)}")
    probabilities = answer.astype(np.float64)
    if not (np.isfinite(probabilities) & (probabilities >= 0) & (probabilities <= 1)).all():
        raise Unavailable("the probabilities are not in [0, 1]")
    return probabilities
