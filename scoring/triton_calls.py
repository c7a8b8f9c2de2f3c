"""Calls of a model on Triton, over gRPC, HTTP or an endpoint of Amazon SageMaker (scoring/sagemaker.py): time
limits, retries, and a breaker. The meaning of the tensors is in content.py and topics.py.
"""

import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from scoring.pace import Pace
from scoring.sagemaker import SageMakerEndpoint

# Priority levels of triton_repo/*/config.pbtxt.
FIRST, LAST = 1, 2
# Longer texts are cut before they are normalised and sent: the models read 128 tokens.
MAX_CHARACTERS = 20_000
RETRY_AFTER_SECONDS = 0.05
# Retryable statuses of gRPC and HTTP.
_TRANSIENT = ("StatusCode.UNAVAILABLE", "503")
# By default gRPC backs off for up to two minutes before it reconnects to a restarted server.
_CHANNEL = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 2000)]
ENGINES = {"python": "OpenVINO, CPU", "onnxruntime": "ONNX Runtime, GPU", "tensorrt": "TensorRT, GPU"}
"""What computes a model, by its backend in Triton: our Python backend runs OpenVINO, cards the others."""
# Share of its time limit that a call should take: a server may get four times slower.
_SHARE = 0.25
_BREAKER_SECONDS = 5.0

_Row = TypeVar("_Row")
_Answer = TypeVar("_Answer")


class Unavailable(Exception):
    """No usable answer: timeout, refused connection, server error, or an answer that is not n finite rows."""


class _NotNow(Unavailable):
    """Retryable: a full queue, a restarting server."""


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


class TritonCalls:
    """Inference on one version of one model.

    Safe across threads and forks: the first call of each makes its own connection.
    """

    def __init__(  # noqa: PLR0913 - limits, each with a sensible default
        self,
        *,
        url: str,
        model: str,
        version: str,
        priority: int = FIRST,
        timeout_seconds: float = 2.0,
        most_rows: int = 16,
        least_rows: int = 1,
        attempts: int = 2,
        breaker_failures: int = 5,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take `url` as grpc://host:port, http://host:port or sagemaker://endpoint; connect to nothing yet.

        `priority` LAST lets all other requests go first. `timeout_seconds` limits each call, retries
        included; the rows per call, between the least and the most, depend on the time that rows took lately.
        """
        parts = urlsplit(url)
        is_server = parts.scheme in ("grpc", "http") and parts.hostname and parts.port
        if not is_server and not (parts.scheme == "sagemaker" and parts.netloc):
            raise ValueError(f"expected grpc://host:port, http://host:port or sagemaker://name, got {url!r}")
        self.model, self.version, self.priority = model, version, priority
        self._scheme, self._address = parts.scheme, parts.netloc
        self._timeout_seconds, self._attempts = timeout_seconds, attempts
        self._breaker = Breaker(failures=breaker_failures, seconds=_BREAKER_SECONDS, clock=clock)
        self._pace = Pace(seconds=_SHARE * timeout_seconds, first=most_rows, most=most_rows, least=least_rows)
        self._clock = clock
        self._local = threading.local()

    def batches(self, rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
        """Yield the rows of each call to make, in order. Raises Unavailable while the breaker is open."""
        done = 0
        while done < len(rows):
            self._breaker.check()
            batch = rows[done : done + self._pace.size()]
            yield batch
            done += len(batch)

    def infer(
        self,
        inputs: Mapping[str, Sequence[Sequence[str]]],
        *,
        outputs: Sequence[str],
        check: Callable[[Mapping[str, Any]], _Answer],
    ) -> _Answer:
        """Send tensors of text, rows of one length each, and return the outputs, by name, as `check` reads
        them. The server is asked for no others.

        Asks whatever the breaker's state, and counts the outcome. Raises Unavailable, as `check` does for an
        impossible answer.
        """
        began = self._clock()
        try:
            answer = self._in_time(inputs, outputs=outputs, check=check)
        except Unavailable:
            self._breaker.record(succeeded=False)
            self._pace.timed_out()
            raise
        self._breaker.record(succeeded=True)
        self._pace.took(max(map(len, inputs.values())), seconds=self._clock() - began)
        return answer

    def served_by(self, *, step: str) -> str:
        """Return what computes a step of the model, an ensemble: `TensorRT, GPU`. Raises Unavailable."""
        if self._scheme == "sagemaker":
            return "SageMaker"
        from tritonclient.utils import InferenceServerException

        _, client = self._connection()
        options = {"client_timeout": self._timeout_seconds, "as_json": True} if self._scheme == "grpc" else {}
        try:
            told = client.get_model_metadata(step, **options)
        except (InferenceServerException, OSError) as error:
            raise Unavailable(f"{type(error).__name__}: {error}") from error
        platform = str(told["platform"])  # tensorrt_plan: the backend, and the kind of its file
        return ENGINES.get(platform.partition("_")[0], platform)

    def _in_time(
        self,
        inputs: Mapping[str, Sequence[Sequence[str]]],
        *,
        outputs: Sequence[str],
        check: Callable[[Mapping[str, Any]], _Answer],
    ) -> _Answer:
        deadline = self._clock() + self._timeout_seconds
        for _ in range(self._attempts - 1):
            try:
                return check(self._attempt(inputs, outputs=outputs, deadline=deadline))
            except _NotNow:
                if self._clock() + RETRY_AFTER_SECONDS >= deadline:
                    raise
                time.sleep(RETRY_AFTER_SECONDS)
        return check(self._attempt(inputs, outputs=outputs, deadline=deadline))

    def _attempt(
        self, inputs: Mapping[str, Sequence[Sequence[str]]], *, outputs: Sequence[str], deadline: float
    ) -> dict[str, Any]:
        from geventhttpclient.response import HTTPParseError
        from tritonclient.utils import InferenceServerException

        try:
            return self._call(inputs, outputs=outputs, seconds=deadline - self._clock())
        except InferenceServerException as error:
            refusal = _NotNow if error.status() in _TRANSIENT else Unavailable
            raise refusal(f"{error.status()}: {error.message()}") from error
        except (OSError, ValueError, HTTPParseError) as error:
            # HTTP without an answer: refused, timed out, not HTTP, or cut off (kept since before a restart).
            self._local.__dict__.clear()
            refusal = Unavailable if isinstance(error, TimeoutError | ValueError) else _NotNow
            raise refusal(f"{type(error).__name__}: {error}") from error

    def _call(
        self, inputs: Mapping[str, Sequence[Sequence[str]]], *, outputs: Sequence[str], seconds: float
    ) -> dict[str, Any]:
        protocol, client = self._connection()
        tensors = [_tensor(protocol, name, rows) for name, rows in inputs.items()]
        # Triton's HTTP client takes no limit per call; its own was set when it was made (`_connect`).
        limit = {"client_timeout": seconds} if self._scheme == "grpc" else {}
        answer = client.infer(
            self.model,
            tensors,
            outputs=[protocol.InferRequestedOutput(name) for name in outputs],
            model_version=self.version,
            priority=self.priority,
            timeout=max(1, int(seconds * 1e6)),  # microseconds: the server drops what nobody waits for
            **limit,
        )
        return {name: answer.as_numpy(name) for name in outputs}

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


def _tensor(protocol: ModuleType, name: str, rows: Sequence[Sequence[str]]) -> Any:
    # A lone surrogate has no UTF-8; without normaliser it becomes "?".
    encoded = [[text.encode("utf-8", errors="replace") for text in row] for row in rows]
    tensor = protocol.InferInput(name, [len(rows), len(rows[0])], "BYTES")
    tensor.set_data_from_numpy(np.array(encoded, dtype=np.object_))
    return tensor


def shortened(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    # Collapse white space, which has no tokens: padding must not push the message past the cut.
    return " ".join(text[: 10 * MAX_CHARACTERS].split())[:MAX_CHARACTERS]
