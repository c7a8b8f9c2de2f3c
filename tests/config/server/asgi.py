"""The ASGI application with an application of the test's own behind it, and a client of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from config.server.front import Front
from config.server.limits import Limits

QUICK = {"threads": 1, "waiting": 2, "body_seconds": 0.2, "piece_seconds": 0.2}
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def run(life: Coroutine[Any, Any, None]) -> None:
    """Run it on an event loop of its own; this thread may have one, which a test in the browser left."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, life).result()


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer with the body."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


@asynccontextmanager
async def serving(application: Wsgi = echo, **limits: Any) -> AsyncIterator[Front]:
    """Run the life of a process around the block."""
    front = Front(application, limits=Limits(**(QUICK | limits)))
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    started = asyncio.Event()

    async def note(message: dict[str, Any]) -> None:
        started.set()

    life = asyncio.ensure_future(front({"type": "lifespan"}, said.get, note))
    await said.put({"type": "lifespan.startup"})
    await started.wait()
    yield front
    await said.put({"type": "lifespan.shutdown"})
    await life


class Client:
    """One request: what it sends when it is asked for, and what it gets."""

    def __init__(
        self,
        front: Front,
        *,
        path: str = "/",
        method: str = "POST",
        parts: Iterable[bytes] = (),
        length: int | None = None,
        address: str = "10.0.0.1",
        send: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> None:
        self._front, self._send = front, send
        self._parts = list(parts)
        size = sum(map(len, self._parts)) if length is None else length
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
            "client": (address, 1),
            "server": ("127.0.0.1", 80),
            "headers": [(b"content-length", str(size).encode())],
        }
        self.hung_up = asyncio.Event()
        self.got: list[dict[str, Any]] = []

    async def run(self) -> int:
        """Return the status, 0 for none."""
        await self._front(self.scope, self._receive, self._take)
        return int(self.got[0]["status"]) if self.got else 0

    @property
    def body(self) -> bytes:
        """Return the body of the answer."""
        return b"".join(message.get("body", b"") for message in self.got)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of the answer."""
        return {name.decode(): value.decode() for name, value in self.got[0]["headers"]}

    async def _receive(self) -> dict[str, Any]:
        if self._parts:
            return {"type": "http.request", "body": self._parts.pop(0), "more_body": True}
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _take(self, message: dict[str, Any]) -> None:
        if self._send is not None:
            await self._send(message)
        self.got.append(message)
