"""One process of the web server: waitress with limits on time and memory, and with the API's refusals."""

import gc
import json
import logging
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

import structlog
from django.db import close_old_connections
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, TransferEncodingNotImplemented
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error, ServerNotImplemented

from config.server import limits
from config.server.watch import Progress
from moderation.api import problems
from moderation.api.errors import RETRY_AFTER_SECONDS
from moderation.api.middleware import HEADER, identifier_of

log = structlog.get_logger(__name__)

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_CODES = {408: "body_too_slow", 411: "length_required", 413: "body_too_large", 503: "unavailable"}
"""Problems of the API that the server itself answers with; other refusals are one line everywhere."""


class _Refused(Error):
    """Why a request is refused, as waitress carries it."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.description)
        self.code, self.reason = status.value, status.phrase


class _Parser(HTTPRequestParser):
    """Reads a request; refuses a chunked body, on whose end proxies and servers may disagree."""

    error: Error | None
    completed: bool
    expect_continue: bool
    content_length: int
    body_bytes_received: int

    def __init__(self, adjustments: Adjustments, has_room: Callable[[], bool]) -> None:
        super().__init__(adjustments)
        self._has_room = has_room

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers."""
        super().parse_header(header_plus)
        if self.chunked:
            raise TransferEncodingNotImplemented("chunked")
        # Without a body that it takes, waitress would say 100 and wait for ever.
        self.expect_continue = self.expect_continue and 0 < self.content_length <= limits.BODY_BYTES

    def received(self, data: bytes) -> int:
        """Take bytes of the request; return how many belong to it."""
        pieces = self.body_bytes_received // limits.PIECE_BYTES
        consumed = int(super().received(data))
        if isinstance(self.error, ServerNotImplemented):
            self.error = _Refused(HTTPStatus.LENGTH_REQUIRED)
        if self.body_bytes_received // limits.PIECE_BYTES > pieces and not self._has_room():
            self.error, self.completed = _Refused(HTTPStatus.SERVICE_UNAVAILABLE), True
        return consumed


class _Refusal(ErrorTask):
    """Answers what Django never sees: a problem on the API, one plain line elsewhere."""

    def execute(self) -> None:
        """Write the answer and close the connection."""
        error, path = self.request.error, getattr(self.request, "path", "")
        self.channel.server.refused[error.code] += 1
        identifier = identifier_of(self.request.headers.get("X_REQUEST_ID", ""))
        body, media_type = f"{error.reason}. {error.body}\n".encode(), "text/plain; charset=utf-8"
        if code := _CODES.get(error.code):
            problem = problems.PROBLEMS[code]
            body = f"{problem.title}. {problem.cure}\n".encode()
            if path.startswith("/api/"):
                value = problems.body(code, detail=problem.cure, instance=path, request_id=identifier)
                body, media_type = json.dumps(value).encode(), problems.CONTENT_TYPE
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", media_type),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            (HEADER, identifier),
            *([("Retry-After", str(RETRY_AFTER_SECONDS))] if error.code == 503 else []),
        ]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Probe(Task):
    """Answers /healthz, by progress and not by the time that a request takes."""

    complete = True

    def execute(self) -> None:
        """Write the answer."""
        is_stalled = self.channel.server.progress.stalled_beats >= limits.STALLED_BEATS
        body = b"no request was finished for a long time" if is_stalled else b"ok"
        self.status = "503 Service Unavailable" if is_stalled else "200 OK"
        self.response_headers += [("Content-Type", "text/plain"), ("Cache-Control", "no-store")]
        self.content_length = len(body)
        self.write(b"" if self.request.command == "HEAD" else body)

    @staticmethod
    def answers(request: HTTPRequestParser) -> bool:
        """Tell whether a request is a probe."""
        return not request.error and request.path == "/healthz" and request.command in ("GET", "HEAD")


class _Django(WSGITask):
    """Has Django answer."""

    def execute(self) -> None:
        """Write the answer, and note that a request was finished."""
        progress = self.channel.server.progress
        progress.begin()
        try:
            super().execute()
        finally:
            close_old_connections()  # Django would do it once a file is sent, in another thread
            progress.finish()


class _Channel(HTTPChannel):
    """A connection that knows since when its request has been arriving."""

    error_task_class = _Refusal
    requests: list[_Parser]
    """Those that are complete; the first one is being answered, or waits."""
    request: _Parser | None
    """The one that is still arriving."""
    began = 0.0

    def parser_class(self, adjustments: Adjustments) -> _Parser:
        """Return the reader of a new request."""
        return _Parser(adjustments, self.server.has_room)

    def task_class(self, channel: "_Channel", request: HTTPRequestParser) -> Task:
        """Return what answers a request."""
        return (_Probe if _Probe.answers(request) else _Django)(channel, request)

    def received(self, data: bytes) -> bool:
        """Take bytes of a request."""
        if self.request is None:
            self.began = time.time()
        return bool(super().received(data))

    def refuse_if_late(self, now: float) -> None:
        """Answer 408 if a request that is still arriving has used up its time."""
        with self.requests_lock:
            if self.request is None or self.requests:
                return
            seconds = limits.REQUEST_SECONDS + self.request.body_bytes_received / limits.BYTES_PER_SECOND
            if now - self.began <= min(seconds, limits.REQUEST_SECONDS_AT_MOST):
                return
            self.request.error = _Refused(HTTPStatus.REQUEST_TIMEOUT)
            self.requests.append(self.request)
            self.request = None
        self.server.add_task(self)

    def service(self) -> None:
        """Answer a request, in a thread."""
        if time.time() - self.last_activity > limits.WAITING_SECONDS and not self.requests[0].error:
            self.requests[0].error = _Refused(HTTPStatus.SERVICE_UNAVAILABLE)
        super().service()


class _Server(TcpWSGIServer):
    """Answers probes and refusals beside the threads that run Django."""

    channel_class = _Channel

    def __init__(self, application: Application, listener: socket.socket) -> None:
        adjustments = Adjustments(
            sockets=[listener],
            backlog=limits.BACKLOG,
            connection_limit=limits.CONNECTIONS,
            channel_timeout=limits.IDLE_SECONDS,
            cleanup_interval=1,
            max_request_header_size=limits.HEADER_BYTES,
            max_request_body_size=limits.BODY_BYTES + 1,
            inbuf_overflow=limits.BODY_BYTES + 1,  # in memory, which HELD_BYTES limits
            # An answer that is made faster than it is read goes to a file; it does not hold a thread.
            outbuf_high_watermark=2**40,
            # Reading on while a request waits is how a client that hung up is noticed.
            channel_request_lookahead=1,
            clear_untrusted_proxy_headers=False,  # Django reads them, as many as SPAMDESK_PROXIES says
            ident=None,
        )
        threads = ThreadedTaskDispatcher()
        threads.set_thread_count(limits.THREADS)
        self._beside = ThreadedTaskDispatcher()
        self._beside.set_thread_count(1)
        self.progress = Progress()
        self.refused: Counter[int] = Counter()
        """Refusals since the last line of the log, by status."""
        super().__init__(
            application,
            map={},
            _sock=listener,
            dispatcher=threads,
            adj=adjustments,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
        )

    def add_task(self, task: _Channel) -> None:
        """Have a request answered."""
        request = task.requests[0]
        if _Probe.answers(request):
            self._beside.add_task(task)
            return
        if len(self.task_dispatcher.queue) >= limits.WAITING and not request.error:
            request.error = _Refused(HTTPStatus.SERVICE_UNAVAILABLE)
        (self._beside if request.error else self.task_dispatcher).add_task(task)

    def has_room(self) -> bool:
        """Tell whether another piece of a body may be kept in memory."""
        channels = {*self.active_channels.values(), *list(self.task_dispatcher.queue)}
        requests = (request for channel in channels for request in (*channel.requests, channel.request))
        held = sum(request.body_bytes_received for request in requests if request)
        return bool(held < limits.HELD_BYTES)

    def maintenance(self, now: float) -> None:
        """Refuse slow requests and close idle connections; waitress calls this every second."""
        super().maintenance(now)
        for channel in self.active_channels.values():
            channel.refuse_if_late(now)
        if self.refused:
            log.warning("requests_refused", statuses=dict(self.refused))
            self.refused.clear()

    def turn(self) -> None:
        """Wait a second at most for what the network brings, and handle it."""
        wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """Take no more connections, and finish what is under way, within STOP_SECONDS."""
        self.accepting = False
        self.del_channel()
        deadline = time.monotonic() + limits.STOP_SECONDS
        while time.monotonic() < deadline and any(
            channel.requests or channel.request or channel.total_outbufs_len
            for channel in self.active_channels.values()
        ):
            self.turn()


def run(
    application: Application, listener: socket.socket, *, parent: int, beat: Callable[[int], None]
) -> None:
    """Serve until SIGTERM or the end of the parent.

    Calls `beat` every second with the seconds for which nothing was finished.
    """
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopping.append(number))
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait is no event
    server, next_beat = _Server(application, listener), time.monotonic()
    # What is loaded stays: walking it again and again took a tenth of the time of a bulk request.
    gc.freeze()
    gc.set_threshold(10_000)
    beat(0)  # from here on silence counts
    log.info("web_process_serves", process=os.getpid())
    while not stopping and os.getppid() == parent:
        if time.monotonic() >= next_beat:
            next_beat = time.monotonic() + 1
            server.progress.beat()
            beat(server.progress.stalled_beats)
        server.turn()
    server.stop()
