"""Client of the topics model: texts and topics in words in, probabilities that a text is about a topic out.

No training for the topic: triton_repo/topics/ compares English sentence embeddings, or asks a model of
natural language inference whether the text entails "This text is about …" (zero-shot classification, Yin et
al. 2019). Beside the first the vectors of the content model are compared, which reads many languages.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import normalise
from scoring.content import ContentModel, vectors_of
from scoring.triton_calls import FIRST, TritonCalls, Unavailable, shortened

MODEL, VERSION = "topics", "1"
MAX_TOPIC_CHARACTERS = 200
HYPOTHESIS, NEUTRAL = "This text is about {}.", "something"
_SUREST = 1e-6
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
        content: ContentModel,
        priority: int = FIRST,
        timeout_seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as ContentModel does; `timeout_seconds` limits a call of at most 16 texts.

        `content` gives the vectors: one that scoring uses and that remembers reads no text twice.
        """
        self._content = content
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
        weight = 0.0
        for rows in self._calls.batches(places):
            answers[rows], weight = self._batch([normalised[row] for row in rows], topics)
        if weight:
            contrasts = self._contrasts([texts[row] for row in places], topics)
            odds = answers[places] / (1.0 - answers[places]) * np.exp(weight * contrasts)
            answers[places] = odds / (1.0 + odds)
        return answers

    def _contrasts(self, texts: Sequence[str], topics: Sequence[str]) -> NDArray[np.float64]:
        """Compare vectors of texts and topics, less what a text has in common with a topic of nothing."""
        names = [NEUTRAL, *(topic[:MAX_TOPIC_CHARACTERS] for topic in topics)]
        nothing, *about = vectors_of(self._content.scores([HYPOTHESIS.format(name) for name in names]))
        # Not `@`, whose rounding depends on the number of texts.
        vectors = vectors_of(self._content.scores(texts))
        contrasts: NDArray[np.float64] = np.einsum("tv,av->ta", vectors, np.array(about) - nothing)
        return contrasts

    def is_ready(self) -> bool:
        """Request one inference, whatever the breaker's state."""
        try:
            # Another text each time: the server keeps vectors.
            self._batch([f"{PROBE[0]} {time.monotonic()}"], [PROBE[1]])
        except Unavailable:
            return False
        return True

    def _batch(self, texts: Sequence[str], topics: Sequence[str]) -> tuple[NDArray[np.float64], float]:
        names = [topic[:MAX_TOPIC_CHARACTERS] for topic in topics]
        return self._calls.infer(
            {
                "TEXT": [[text] for text in texts],
                "TOPICS": [names] * len(texts),
            },
            outputs=("PROBABILITIES", "VECTOR_WEIGHT"),
            check=lambda answers: (
                _checked(answers["PROBABILITIES"], shape=(len(texts), len(topics))),
                float(answers["VECTOR_WEIGHT"][0, 0]),
            ),
        )


def _checked(answer: Any, *, shape: tuple[int, int]) -> NDArray[np.float64]:
    if not isinstance(answer, np.ndarray) or answer.shape != shape:
        raise Unavailable(f"expected probabilities of shape {shape}, got {getattr(answer, 'shape', None)}")
    probabilities = answer.astype(np.float64)
    if not (np.isfinite(probabilities) & (probabilities >= 0) & (probabilities <= 1)).all():
        raise Unavailable("the probabilities are not in [0, 1]")
    return probabilities.clip(_SUREST, 1.0 - _SUREST)
