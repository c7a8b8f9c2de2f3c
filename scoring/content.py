"""Client of the content model: texts in, spam probabilities out, through Triton over gRPC or HTTP, or through
an endpoint of Amazon SageMaker (scoring/sagemaker.py).

Disguise is undone here, by scoring/normalise. Tokenising, truncation and inference are on the server
(triton_repo/); limits, retries and refusals are here.
"""

from __future__ import annotations

import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from scoring import normalise
from scoring.sagemaker import SageMakerEndpoint

MODEL = "content"
# Priority levels of triton_repo/*/config.pbtxt.
FIRST, LAST = 1, 2
MAX_BATCH = 128  # max_batch_size in triton_repo/*/config.pbtxt
# Longer texts are cut before they are normalised and sent: the model reads 128 tokens.
MAX_CHARACTERS = 20_000
RETRY_AFTER_SECONDS = 0.05
PROBE_TEXT = "Are you ready?"
# Retryable statuses of gRPC and HTTP.
_TRANSIENT = ("StatusCode.UNAVAILABLE", "503")
# By default gRPC backs off for up to two minutes before it reconnects to a restarted server.
_CHANNEL = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 2000)]


class Unavailable(Exception):
    """No usable answer: timeout, refused connection, server error, or an answer that is not n finite rows."""


class _NotNow(Unavailable):
    """Retryable: a full queue, a restarting server."""


@dataclass(frozen=True)
class ContentScore:
    """One text's answer: softmax of the logits (not spam, spam), as the model gave them."""

    probability: float
    logits: tuple[float, float]


class Breaker:
    """Circuit breaker: stops calling a failing server, so that callers fail at once, without a time-out.

    Opens after `failures` in a row for `seconds`; then one caller probes, and its success closes it. Safe
    across threads.
    """

    def __init__(self, *, failures: int, seconds: float, clock: Callable[[], float]) -> None:
        self._limit, self._seconds, self._clock = failures, seconds, clock
        self._failed = 0
        self._closed_until = -math.inf
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise Unavailable while open; after the pause let this caller probe and refuse the others."""
        with self._lock:
            if self._failed < self._limit:
                return
            now = self._clock()
            if now < self._closed_until:
                raise Unavailable(f"not asked: {self._failed} calls in a row failed")
            self._closed_until = now + self._seconds

    def record(self, *, succeeded: bool) -> None:
        """Count the outcome of a call."""
        with self._lock:
            self._failed = 0 if succeeded else self._failed + 1
            if self._failed >= self._limit:
                self._closed_until = self._clock() + self._seconds


def load_client() -> None:
    """Import Triton's client beforehand: the import takes up to a second, once per process."""
    for name in ("geventhttpclient.response", "tritonclient.grpc", "tritonclient.http"):
        import_module(name)


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
        attempts: int = 2,
        breaker_failures: int = 5,
        breaker_seconds: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as grpc://host:port, http://host:port or sagemaker://endpoint; connect to nothing yet.

        `model` is the name under which Triton serves the pinned model: each release may bring its own.
        `normaliser` is the version that the model was fitted with; raises VersionMismatch if it is not here.
        `priority` LAST lets all other requests go first: for explanations, which send hundreds.
        `timeout_seconds` limits each call of at most `batch_size` texts, retries included.
        """
        parts = urlsplit(url)
        is_server = parts.scheme in ("grpc", "http") and parts.hostname and parts.port
        if not is_server and not (parts.scheme == "sagemaker" and parts.netloc):
            raise ValueError(f"expected grpc://host:port, http://host:port or sagemaker://name, got {url!r}")
        if not 1 <= batch_size <= MAX_BATCH:
            raise ValueError(f"batch_size must be 1 to {MAX_BATCH}, got {batch_size}")
        self.model, self.version, self.priority = model, version, priority
        self._normalised = normalise.of_version(normaliser)
        self._scheme, self._address = parts.scheme, parts.netloc
        self._timeout_seconds, self._batch_size, self._attempts = timeout_seconds, batch_size, attempts
        self._breaker = Breaker(failures=breaker_failures, seconds=breaker_seconds, clock=clock)
        self._clock = clock
        self._local = threading.local()

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Answer P(spam) of each text, in order: float64 array of shape (n_texts,), in [0, 1].

        Raises Unavailable.
        """
        return np.array([score.probability for score in self.scores(texts)], dtype=np.float64)

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Answer probability and logits of each text, in order. Raises Unavailable."""
        scores: list[ContentScore] = []
        for start in range(0, len(texts), self._batch_size):
            self._breaker.check()
            batch = [self._normalised(_shortened(text)) for text in texts[start : start + self._batch_size]]
            scores.extend(_score(row) for row in self._recorded(batch))
        return scores

    def is_ready(self) -> bool:
        """Request one inference, whatever the breaker's state: Triton reports a dead model as healthy."""
        try:
            self._recorded([PROBE_TEXT])
        except Unavailable:
            return False
        return True

    def _recorded(self, texts: Sequence[str]) -> NDArray[np.float64]:
        try:
            logits = self._logits(texts)
        except Unavailable:
            self._breaker.record(succeeded=False)
            raise
        self._breaker.record(succeeded=True)
        return logits

    def _logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        deadline = self._clock() + self._timeout_seconds
        for _ in range(self._attempts - 1):
            try:
                return self._attempt(texts, deadline=deadline)
            except _NotNow:
                if self._clock() + RETRY_AFTER_SECONDS >= deadline:
                    raise
                time.sleep(RETRY_AFTER_SECONDS)
        return self._attempt(texts, deadline=deadline)

    def _attempt(self, texts: Sequence[str], *, deadline: float) -> NDArray[np.float64]:
        from geventhttpclient.response import HTTPParseError
        from tritonclient.utils import InferenceServerException

        try:
            answer = self._call(texts, seconds=deadline - self._clock())
        except InferenceServerException as error:
            refusal = _NotNow if error.status() in _TRANSIENT else Unavailable
            raise refusal(f"{error.status()}: {error.message()}") from error
        except (OSError, ValueError, HTTPParseError) as error:
            # HTTP without an answer: refused, timed out, not HTTP, or cut off (kept since before a restart).
            self._local.__dict__.clear()
            refusal = Unavailable if isinstance(error, TimeoutError | ValueError) else _NotNow
            raise refusal(f"{type(error).__name__}: {error}") from error
        return _checked(answer, rows=len(texts))

    def _call(self, texts: Sequence[str], *, seconds: float) -> Any:
        protocol, client = self._connection()
        tensor = protocol.InferInput("TEXT", [len(texts), 1], "BYTES")
        # A lone surrogate has no UTF-8; without normaliser it becomes "?".
        encoded = [text.encode("utf-8", errors="replace") for text in texts]
        tensor.set_data_from_numpy(np.array(encoded, dtype=np.object_).reshape(-1, 1))
        # Triton's HTTP client takes no limit per call; its own was set when it was made (`_connect`).
        limit = {"client_timeout": seconds} if self._scheme == "grpc" else {}
        answer = client.infer(
            self.model, [tensor], model_version=self.version, priority=self.priority, **limit
        )
        return answer.as_numpy("logits")

    def _connection(self) -> tuple[ModuleType, Any]:
        """Return this process and thread's client: gRPC does not survive a fork, HTTP is not thread-safe."""
        if getattr(self._local, "process", None) != os.getpid():
            self._local.connection = self._connect()
            # Dropped at exit: gRPC cannot close once its modules are unloaded.
            weakref.finalize(self, vars(self._local).clear)
            self._local.process = os.getpid()
        connection: tuple[ModuleType, Any] = self._local.connection
        return connection

    def _connect(self) -> tuple[ModuleType, Any]:
        if self._scheme == "grpc":
            import tritonclient.grpc

            return tritonclient.grpc, tritonclient.grpc.InferenceServerClient(
                self._address, channel_args=_CHANNEL
            )
        import tritonclient.http

        if self._scheme == "sagemaker":
            endpoint = SageMakerEndpoint(self._address, timeout_seconds=self._timeout_seconds)
            return tritonclient.http, endpoint
        return tritonclient.http, tritonclient.http.InferenceServerClient(
            self._address, connection_timeout=self._timeout_seconds, network_timeout=self._timeout_seconds
        )


def _shortened(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    # Collapse white space, which has no tokens: padding must not push the message past the cut.
    return " ".join(text[: 10 * MAX_CHARACTERS].split())[:MAX_CHARACTERS]


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
