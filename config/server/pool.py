"""The threads that run Django, and the requests that wait for them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import structlog

from config.server import gateway
from config.server.answers import Answer
from config.server.bodies import Receive
from config.server.fair_queue import FairQueue
from config.server.limits import Limits
from config.server.progress import Progress
from config.server.refusals import Crowded, Failed, Gone, WaitedTooLong

log = structlog.get_logger(__name__)

_PATIENT_SECONDS = 1.0
"""After this time a waiting request is checked: is its client still connected?"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Job:
    key: str
    environ: dict[str, Any]
    answer: asyncio.Future[Answer]
    receive: Receive
    since: float = field(default_factory=time.monotonic)


class Pool:
    """A bounded number of threads behind a fair, bounded queue."""

    def __init__(self, application: gateway.Application, *, limits: Limits) -> None:
        self._application = application
        self._limits = limits
        self._queue: FairQueue[_Job] = FairQueue(limits.waiting)
        self._open: dict[_Job, asyncio.Task[None] | None] = {}
        self.progress = Progress()

    def start(self) -> None:
        """Start the threads; call on the event loop that will ask them."""
        loop = asyncio.get_running_loop()
        for number in range(self._limits.threads):
            name = f"django-{number}"
            threading.Thread(target=self._work, args=(loop,), name=name, daemon=True).start()

    async def answer(self, environ: dict[str, Any], *, key: str, receive: Receive) -> Answer:
        """Return what Django answers.

        Raises Crowded or WaitedTooLong, with the request untouched, or Gone if the client hung up before its
        turn.
        """
        job = _Job(
            key=key, environ=environ, receive=receive, answer=asyncio.get_running_loop().create_future()
        )
        if displaced := self._queue.put(job):
            displaced.answer.set_exception(Crowded())
        self._open[job] = None
        try:
            return await job.answer
        finally:
            if watch := self._open.pop(job):
                watch.cancel()

    def tend(self) -> None:
        """Check the requests that have waited for a while; call every second.

        Not by a timer per request, which would slow requests that do not wait.
        """
        now = time.monotonic()
        for job, watch in list(self._open.items()):
            waited = now - job.since
            if waited < _PATIENT_SECONDS:
                break  # the younger ones come after it
            if waited > self._limits.waiting_seconds:
                self._give_up(job, WaitedTooLong())
            elif watch is None:
                self._open[job] = asyncio.ensure_future(self._watch(job))

    async def _watch(self, job: _Job) -> None:
        while (await job.receive())["type"] != "http.disconnect":
            pass  # the end of the body
        self._give_up(job, Gone())

    def _give_up(self, job: _Job, why: Exception) -> None:
        """Drop a request, unless a thread has started it."""
        if not job.answer.done() and self._queue.withdraw(job):
            job.answer.set_exception(why)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            job = self._queue.take()
            self.progress.begin()
            answer: Answer | None = None
            try:
                answer = gateway.call(self._application, job.environ)
            except Exception:
                log.exception("application_failed")
            finally:
                self.progress.finish()
            with contextlib.suppress(RuntimeError):  # the loop is closed: the process ends
                loop.call_soon_threadsafe(_settle, job.answer, answer)


def _settle(future: asyncio.Future[Answer], answer: Answer | None) -> None:
    if future.done():
        return  # its task was cancelled
    if answer is None:
        future.set_exception(Failed())
    else:
        future.set_result(answer)
