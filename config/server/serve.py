"""One process of the web server: waitress with limits on time and waiting, and answers to refusals."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, TransferEncodingNotImplemented
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher
from waitress.utilities import Error

from config.server import limits
from config.server.progress import Application, Progress

_CODES = {408: "body_too_slow", 411: "length_required", 413: "body_too_large", 503: "unavailable"}
"""Problems of the API that the server itself answers with; other refusals are one line everywhere."""


class _Refused(Error):
    """What is wrong with a request, as waitress carries it."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.description)
        self.code, self.reason = status.value, status.phrase


class _Parser(HTTPRequestParser):
    """Refuses chunked bodies: their size is unknown, and proxies and servers read them differently."""

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.chunked:
            raise TransferEncodingNotImplemented("Send Content-Length.")
        # Without a body that it takes, waitress would say 100 and wait for ever.
        self.expect_continue &= 0 < self.content_length <= limits.BODY_BYTES


class _Refusal(ErrorTask):
    """Answers what Django never sees: a problem on the API, one plain line elsewhere."""

    def execute(self) -> None:
        """Write the answer and close the connection."""
        # Imported here: a process whose parent only supervises has no use for Django.
        from moderation.api import problems  # noqa: PLC0415
        from moderation.api.middleware import HEADER, identifier_of  # noqa: PLC0415

        error, path = self.request.error, getattr(self.request, "path", "")
        if error.code == 501:
            error = _Refused(HTTPStatus.LENGTH_REQUIRED)
        self.status = f"{error.code} {error.reason}"
        identifier = identifier_of(self.request.headers.get("X_REQUEST_ID", ""))
        body, media_type = f"{error.reason}. {error.body}\n".encode(), "text/plain; charset=utf-8"
        if code := _CODES.get(error.code):
            problem = problems.PROBLEMS[code]
            body = f"{problem.title}. {problem.cure}\n".encode()
            if path.startswith("/api/"):
                answer = problems.body(code, detail=problem.cure, instance=path, request_id=identifier)
                body, media_type = json.dumps(answer).encode(), problems.CONTENT_TYPE
        self.response_headers += [
            ("Content-Type", media_type),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            (HEADER, identifier),
            *([("Retry-After", "5")] if error.code == 503 else []),
        ]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    """A connection that knows since when its request has been arriving."""

    parser_class = _Parser
    error_task_class = _Refusal
    request: Any = None
    began = 0.0

    def received(self, data: bytes) -> bool:
        """Take bytes of a request."""
        if self.request is None:
            self.began = time.time()
        return bool(super().received(data))

    def is_late(self, now: float) -> bool:
        """Tell whether a request that is still arriving has used up its time."""
        if self.request is None or self.requests:
            return False
        return bool(
            now - self.began
            > limits.REQUEST_SECONDS + self.request.body_bytes_received / limits.BYTES_PER_SECOND
        )

    def give_up(self) -> None:
        """Answer a request that did not arrive in time."""
        with self.requests_lock:
            self.request.error = _Refused(HTTPStatus.REQUEST_TIMEOUT)
            self.request.completed = True
            self.requests.append(self.request)
            self.request = None
            self.server.add_task(self)


class _Server(TcpWSGIServer):
    """Answers probes beside the threads that run Django, and refuses what would wait for long."""

    channel_class = _Channel

    def __init__(self, application: Application, listener: socket.socket) -> None:
        adjustments = Adjustments(
            sockets=[listener],
            threads=limits.THREADS,
            backlog=limits.BACKLOG,
            connection_limit=limits.CONNECTIONS,
            channel_timeout=limits.IDLE_SECONDS,
            cleanup_interval=1,
            max_request_header_size=limits.HEADER_BYTES,
            max_request_body_size=limits.BODY_BYTES + 1,
            # An answer that is made faster than it is read goes to a file, it does not hold a thread.
            outbuf_high_watermark=2**40,
            # Reading on while a request waits is how a client that hung up is noticed.
            channel_request_lookahead=1,
            clear_untrusted_proxy_headers=False,  # Django reads them, as many as SPAMDESK_PROXIES says
            ident=None,
            asyncore_use_poll=True,
        )
        threads = ThreadedTaskDispatcher()
        threads.set_thread_count(limits.THREADS)
        self._beside = ThreadedTaskDispatcher()
        self._beside.set_thread_count(1)
        where = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(
            application,
            map={},
            _sock=listener,
            dispatcher=threads,
            adj=adjustments,
            bind_socket=False,
            sockinfo=where,
        )

    def add_task(self, task: _Channel) -> None:
        """Have a request answered."""
        request = task.requests[0]
        if len(self.task_dispatcher.queue) >= limits.WAITING:
            request.error = _Refused(HTTPStatus.SERVICE_UNAVAILABLE)
        is_probe = getattr(request, "path", "") == "/healthz"
        (self._beside if is_probe or request.error else self.task_dispatcher).add_task(task)

    def maintenance(self, now: float) -> None:
        """Close connections that are idle, and answer requests that arrive too slowly."""
        super().maintenance(now)
        for channel in self.active_channels.values():
            if channel.is_late(now):
                channel.give_up()

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


def run(listener: socket.socket, *, beat: Callable[[int], None]) -> None:
    """Serve until SIGTERM; call `beat` every second with the seconds for which nothing was finished."""
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopping.append(number))
    from config.wsgi import application  # noqa: PLC0415 - Django's set-up, which takes seconds

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait is no event
    progress, parent = Progress(), os.getppid()
    server = _Server(_answering(progress.counting(application), progress), listener)
    while not stopping and os.getppid() == parent:
        if progress.has_second_passed():
            beat(progress.stalled_beats)
        server.turn()
    server.stop()


def _answering(application: Application, progress: Progress) -> Application:
    """Return the application behind the probe; it does nothing for a client that hung up."""

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/healthz" and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            is_stalled = progress.stalled_beats >= limits.STALLED_BEATS
            body = b"no request was finished for a long time" if is_stalled else b"ok"
            status = "503 Service Unavailable" if is_stalled else "200 OK"
            start(
                status,
                [
                    ("Content-Type", "text/plain"),
                    ("Cache-Control", "no-store"),
                    ("Content-Length", str(len(body))),
                ],
            )
            return [body]
        if environ["waitress.client_disconnected"]():
            start("503 Service Unavailable", [("Content-Length", "0")])
            return [b""]
        return application(environ, start)

    return answer
