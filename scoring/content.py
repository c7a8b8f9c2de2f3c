"""Client of the content model: texts in, spam probabilities and vectors out, through Triton
(scoring/triton_calls.py).

Disguise is undone here, by scoring/normalise. Tokenising, truncation and inference are on the server
(triton_repo/).
"""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from scoring import normalise
from scoring.triton_calls import FIRST, LAST, Breaker, TritonCalls, Unavailable, load_client, shortened

__all__ = ["FIRST", "LAST", "Breaker", "ContentModel", "ContentScore", "Unavailable", "load_client"]

MODEL = "content"
MAX_BATCH = 128  # max_batch_size in triton_repo/*/config.pbtxt
_LOGITS = np.dtype("<f4")
_STEPS = 127


@dataclass(frozen=True, slots=True)
class ContentScore:
    """One text's answer: the logits (not spam, spam), as the model gave them, and its vector of length 1 as
    int8, 127 for 1.0; empty where it was not asked for.
    """

    logits: tuple[float, float]
    vector: bytes = b""

    @property
    def margin(self) -> float:
        """Return the log-odds of spam."""
        return self.logits[1] - self.logits[0]

    @property
    def probability(self) -> float:
        """Return the softmax of the logits, written with tanh because it cannot overflow."""
        return 0.5 * (1 + math.tanh(self.margin / 2))

    def to_bytes(self) -> bytes:
        """Return the stored form: the model's logits as float32, then the vector."""
        return np.array(self.logits, dtype=_LOGITS).tobytes() + self.vector

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        """Read what to_bytes wrote. Raises ValueError for what is shorter than two logits."""
        ham, spam = np.frombuffer(stored, dtype=_LOGITS, count=2).tolist()
        return cls((ham, spam), bytes(stored[2 * _LOGITS.itemsize :]))


def vectors_of(scores: Sequence[ContentScore]) -> NDArray[np.float64]:
    """Return the vectors of scores, float64 (n, width). Raises ValueError where their widths differ."""
    rows = [np.frombuffer(score.vector, dtype=np.int8) for score in scores]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1) / _STEPS


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
        remembers: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as grpc://host:port, http://host:port or sagemaker://endpoint; connect to nothing yet.

        `model` is the name under which Triton serves the pinned model: each release may bring its own.
        `normaliser` is the version that the model was fitted with; raises VersionMismatch if it is not here.
        `priority` LAST lets all other requests go first, one call at a time: for explanations, which send
        hundreds. `timeout_seconds` limits each call of at most `batch_size` texts, retries included; a slow
        server gets fewer at a time, down to `least_batch`. `remembers` is the number of texts whose latest
        answer is cached: a pinned model's answer does not depend on the batch.
        """
        if not 1 <= batch_size <= MAX_BATCH:
            raise ValueError(f"batch_size must be 1 to {MAX_BATCH}, got {batch_size}")
        self.model, self.version, self.priority = model, version, priority
        self._normalised = normalise.of_version(normaliser)
        self._memory = _Memory(most=remembers)
        # One such call at a time: the server would put those of all threads into one batch, behind which
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
            clock=clock,
        )

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Answer P(spam) of each text, in order: float64 array of shape (n_texts,), in [0, 1].

        Asks for no vectors. Raises Unavailable.
        """
        scores = self._answers(texts, outputs=("logits",))
        return np.array([score.probability for score in scores], dtype=np.float64)

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Answer logits and vector of each text, in order. Raises Unavailable."""
        return self._answers(texts, outputs=("logits", "vector"))

    def _answers(self, texts: Sequence[str], *, outputs: Sequence[str]) -> list[ContentScore]:
        inputs = [self._normalised(shortened(text)) for text in texts]
        known_scores = self._memory.of(inputs, has_vector="vector" in outputs)
        unknown = list(dict.fromkeys(text for text in inputs if text not in known_scores))
        for batch in self._calls.batches(unknown):
            answers = dict(zip(batch, self._ask(batch, outputs=outputs), strict=True))
            self._memory.keep(answers.items())
            known_scores |= answers
        return [known_scores[text] for text in inputs]

    def is_ready(self) -> bool:
        """Request one inference, whatever the breaker's state: Triton reports a dead model as healthy."""
        try:
            # Another text each time: the server keeps answers.
            self._ask([f"Are you ready? {time.monotonic()}"], outputs=("logits",))
        except Unavailable:
            return False
        return True

    def served_by(self) -> str:
        """Return what computes the model, such as `TensorRT, GPU`. Raises Unavailable."""
        return self._calls.served_by(step=self.model.replace(MODEL, "distilbert", 1))

    def _ask(self, texts: Sequence[str], *, outputs: Sequence[str]) -> list[ContentScore]:
        with self._turn:
            return self._calls.infer(
                {"TEXT": [[text] for text in texts]},
                outputs=outputs,
                check=lambda answers: _checked(answers, rows=len(texts)),
            )


class _Memory:
    """The latest answers by the digest of their text. Safe across threads."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._scores: OrderedDict[bytes, ContentScore] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Iterable[str], *, has_vector: bool) -> dict[str, ContentScore]:
        """Return the known answers; those without a vector only if none is needed."""
        if not self._most:
            return {}
        scores: dict[str, ContentScore] = {}
        with self._lock:
            for text in texts:
                digest = _digest(text)
                if digest in self._scores and (self._scores[digest].vector or not has_vector):
                    self._scores.move_to_end(digest)
                    scores[text] = self._scores[digest]
        return scores

    def keep(self, answers: Iterable[tuple[str, ContentScore]]) -> None:
        """Keep answers; those not asked about for the longest time are forgotten first."""
        if not self._most:
            return
        with self._lock:
            for text, score in answers:
                self._scores[_digest(text)] = score
            while len(self._scores) > self._most:
                self._scores.popitem(last=False)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checked(answers: Mapping[str, Any], *, rows: int) -> list[ContentScore]:
    for name, answer in answers.items():
        if not isinstance(answer, np.ndarray) or answer.ndim != 2 or len(answer) != rows:
            raise Unavailable(f"expected {rows} rows of {name}, got {getattr(answer, 'shape', None)}")
        if not np.isfinite(answer).all():
            raise Unavailable(f"the {name} are not finite")
    logits, vectors = answers["logits"], answers.get("vector", np.empty((rows, 0)))
    if logits.shape[1] != 2:
        raise Unavailable(f"expected logits of shape ({rows}, 2), got {logits.shape}")
    steps = np.rint(np.clip(vectors, -1.0, 1.0) * _STEPS).astype(np.int8)
    return [
        ContentScore((float(ham), float(spam)), vector.tobytes())
        for (ham, spam), vector in zip(logits.astype(np.float64), steps, strict=True)
    ]
