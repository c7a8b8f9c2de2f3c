"""The ASGI application: reads each request completely before a Django thread answers it."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog

from config.server import answers, gateway, refusals
from config.server.answers import Answer, Send
from config.server.beat import Beat
from config.server.bodies import Bodies, Receive
from config.server.limits import Limits
from config.server.pool import Pool
from moderation.operations.infrastructure import client_address

log = structlog.get_logger(__name__)

_LANES = ("/api/", "/1.1/", "/static/", "/readyz", "/metrics")
"""Request classes with separate turns: a client's requests in one do not delay its requests in the others."""
_REPORT_BEATS = 10
_USUAL = Limits()


class Front:
    """Answers for one process, from its start to its end."""

    def __init__(self, application: gateway.Application, *, limits: Limits = _USUAL) -> None:
        self._limits = limits
        self._bodies = Bodies(self._limits)
        self._pool = Pool(application, limits=self._limits)
        self._files = ThreadPoolExecutor(2, thread_name_prefix="files")
        self._refused: Counter[str] = Counter()
        self._beat = Beat(self._pool.progress)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the whole life of the process."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["path"] == "/healthz" and scope["method"] in ("GET", "HEAD"):
            await self._deliver(self._health(), send=send)
        else:
            await self._serve(gateway.environ_of(scope), receive=receive, send=send)

    async def _serve(self, environ: dict[str, Any], *, receive: Receive, send: Send) -> None:
        try:
            answer = await self._answer(environ, receive=receive)
        except refusals.Gone:
            self._refused["hung_up"] += 1
            return
        except refusals.Refusal as refusal:
            self._refused[refusal.reason] += 1
            answer = refusals.answer(refusal, environ=environ)
        await self._deliver(answer, send=send)

    async def _answer(self, environ: dict[str, Any], *, receive: Receive) -> Answer:
        address = client_address.network(client_address.address_in(environ))
        body = await self._bodies.read(environ, receive=receive, address=address)
        try:
            environ["wsgi.input"] = io.BytesIO(body)
            lane = next((lane for lane in _LANES if environ["PATH_INFO"].startswith(lane)), "/")
            return await self._pool.answer(environ, key=f"{address} {lane}", receive=receive)
        finally:
            self._bodies.release(len(body), address=address)

    async def _deliver(self, answer: Answer, *, send: Send) -> None:
        if not await answers.deliver(answer, send=send, limits=self._limits, files=self._files):
            self._refused["answer_read_too_slowly"] += 1

    def _health(self) -> Answer:
        """Answer /healthz on the event loop, without the threads, which may be busy."""
        is_stalled = self._pool.progress.stalled_beats >= self._limits.stalled_beats
        body = b"no request was finished for a long time" if is_stalled else b"ok"
        headers = [
            ("Content-Type", "text/plain"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ]
        return Answer(status=503 if is_stalled else 200, headers=headers, body=body)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Handle the ASGI lifespan protocol."""
        await receive()
        self._pool.start()
        beating = asyncio.get_running_loop().create_task(self._beat_on())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        beating.cancel()
        self._beat.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _beat_on(self) -> None:
        for number in range(1, 2**62):
            self._beat.send()
            self._pool.tend()
            if number % _REPORT_BEATS == 0 and self._refused:
                log.warning("requests_refused", **self._refused)
                self._refused.clear()
            await asyncio.sleep(1)
