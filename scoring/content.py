"""Client of the content model: texts in, spam probabilities out, through Triton (scoring/triton_calls.py).

Disguise is undone here, by scoring/normalise. Tokenising, truncation and inference are on the server
(triton_repo/).
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import normalise
from scoring.triton_calls import FIRST, LAST, Breaker, TritonCalls, Unavailable, load_client, shortened

__all__ = ["FIRST", "LAST", "Breaker", "ContentModel", "ContentScore", "Unavailable", "load_client"]

MODEL = "content"
MAX_BATCH = 128  # max_batch_size in triton_repo/*/config.pbtxt
PROBE_TEXT = "Are you ready?"


@dataclass(frozen=True)
class ContentScore:
    """One text's answer: softmax of the logits (not spam, spam), as the model gave them."""

    probability: float
    logits: tuple[float, float]


class ContentModel:
    """A pinned version of the content model on a Triton server.

    Share one per process. Safe across threads and forks: the first call of each makes its own connection.
    """

    def __init__(  # noqa: PLR0913 - limits, each with a sensible default
        self,
        *,
        url: str,
        version: str,
        model: str = MODEL,
        normaliser: str = normalise.VERSION,
        priority: int = FIRST,
        timeout_seconds: float = 2.0,
        batch_size: int = 16,
        least_batch: int = 1,
        attempts: int = 2,
        breaker_failures: int = 5,
        breaker_seconds: float = 5.0,
        remembers: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as grpc://host:port, http://host:port or sagemaker://endpoint; connect to nothing yet.

        `model` is the name under which Triton serves the pinned model: each release may bring its own.
        `normaliser` is the version that the model was fitted with; raises VersionMismatch if it is not here.
        `priority` LAST lets all other requests go first, one call at a time: for explanations, which send
        hundreds.
        `timeout_seconds` limits each call of at most `batch_size` texts, retries included; a slow server
        gets fewer at a time, down to `least_batch`.
        `remembers` is for how many texts the latest answer is kept and given again: a pinned model says the
        same of a text whoever shares its batch.
        """
        if not 1 <= batch_size <= MAX_BATCH:
            raise ValueError(f"batch_size must be 1 to {MAX_BATCH}, got {batch_size}")
        self.model, self.version, self.priority = model, version, priority
        self._normalised = normalise.of_version(normaliser)
        self._memory = _Memory(most=remembers)
        # One call of theirs at a time: the server would put those of all threads into one batch, behind which
        # scoring waits whatever its priority.
        self._turn = threading.Lock() if priority == LAST else nullcontext()
        self._calls = TritonCalls(
            url=url,
            model=model,
            version=version,
            priority=priority,
            timeout_seconds=timeout_seconds,
            most_rows=batch_size,
            least_rows=least_batch,
            attempts=attempts,
            breaker_failures=breaker_failures,
            breaker_seconds=breaker_seconds,
            clock=clock,
        )

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Answer P(spam) of each text, in order: float64 array of shape (n_texts,), in [0, 1].

        Raises Unavailable.
        """
        return np.array([score.probability for score in self.scores(texts)], dtype=np.float64)

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Answer probability and logits of each text, in order. Raises Unavailable."""
        asked = [self._normalised(shortened(text)) for text in texts]
        known = self._memory.of(asked)
        unknown = [text for text in asked if text not in known]
        rows: list[NDArray[np.float64]] = []
        for batch in self._calls.batches(unknown):
            found = self._logits(batch)
            rows.extend(found)
            self._memory.keep(zip(batch, found, strict=True))
        answers = iter(rows)
        return [_score(known[text] if text in known else next(answers)) for text in asked]

    def is_ready(self) -> bool:
        """Request one inference, whatever the breaker's state: Triton reports a dead model as healthy."""
        try:
            self._logits([PROBE_TEXT])
        except Unavailable:
            return False
        return True

    def _logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        with self._turn:
            return self._calls.infer(
                {"TEXT": [[text] for text in texts]},
                output="logits",
                check=lambda answer: _checked(answer, rows=len(texts)),
            )


class _Memory:
    """The latest answers by the digest of their text. Safe across threads."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._logits: OrderedDict[bytes, NDArray[np.float64]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Iterable[str]) -> dict[str, NDArray[np.float64]]:
        """Return what is known of texts."""
        if not self._most:
            return {}
        found: dict[str, NDArray[np.float64]] = {}
        with self._lock:
            for text in texts:
                digest = _digest(text)
                if digest in self._logits:
                    self._logits.move_to_end(digest)
                    found[text] = self._logits[digest]
        return found

    def keep(self, answers: Iterable[tuple[str, NDArray[np.float64]]]) -> None:
        """Keep answers; those not asked about for the longest time are forgotten first."""
        if not self._most:
            return
        with self._lock:
            for text, logits in answers:
                self._logits[_digest(text)] = logits
            while len(self._logits) > self._most:
                self._logits.popitem(last=False)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checked(answer: Any, *, rows: int) -> NDArray[np.float64]:
    if not isinstance(answer, np.ndarray) or answer.shape != (rows, 2):
        raise Unavailable(f"expected logits of shape ({rows}, 2), got {getattr(answer, 'shape', None)}")
    if not np.isfinite(answer).all():
        raise Unavailable("the logits are not finite")
    return answer.astype(np.float64)


def _score(logits: NDArray[np.float64]) -> ContentScore:
    ham, spam = float(logits[0]), float(logits[1])
    # Softmax of two, written with tanh because it cannot overflow.
    return ContentScore(probability=0.5 * (1 + math.tanh((spam - ham) / 2)), logits=(ham, spam))
