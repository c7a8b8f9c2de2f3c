"""Slow clients that hold a connection: they send or read a byte occasionally, or nothing.

All of them live in one thread of the caller's process. They come back a second after they are cut off, as an
attacker would.
"""

import asyncio
import contextlib
import resource
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

_LENGTH = 5_000
_SECONDS_PER_BYTE = 2.0
_BACK_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How one kind of client behaves: what it sends at once, and whether it then sends or reads slowly."""

    opening: bytes
    sends: bytes = b"x"
    """The byte that it sends again and again, none if it only reads or waits."""
    reads: bool = False


IDLE = Kind(opening=b"", sends=b"")
"""A client that connects and sends nothing."""


def kinds(*, key: str, token: str) -> list[Kind]:
    """Return every way to be slow: headers and bodies that never end, a large answer taken by the byte."""
    posts = f"Authorization: Bearer {key}\r\nContent-Type: application/"
    bodies = {
        "/sign-in/": f"Cookie: csrftoken={token}\r\nContent-Type: application/x-www-form-urlencoded",
        "/api/v1/posts": f"{posts}json",
        "/api/v1/posts:bulk": f"{posts}x-ndjson",
    }
    return [
        Kind(opening=_head("GET /sign-in/", "X-A: ")),
        *(
            Kind(opening=_head(f"POST {path}", f"{lines}\r\nContent-Length: {_LENGTH}\r\n\r\n"))
            for path, lines in bodies.items()
        ),
        Kind(opening=_head("GET /static/large.bin", "\r\n"), sends=b"", reads=True),
    ]


def _head(request: str, rest: str) -> bytes:
    return f"{request} HTTP/1.1\r\nHost: localhost\r\n{rest}".encode()


@dataclass(slots=True)
class Crowd:
    """Keeps as many connections of these kinds open as there are kinds given; use it as a context."""

    port: int
    kinds: Sequence[Kind]
    connected: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        # Many systems begin with 1,024 files.
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    async def _run(self) -> None:
        clients = [asyncio.ensure_future(self._come_again(kind)) for kind in self.kinds]
        await asyncio.to_thread(self._stop.wait)
        for client in clients:
            client.cancel()

    async def _come_again(self, kind: Kind) -> None:
        while True:
            with contextlib.suppress(OSError):
                await self._hold(kind)
            await asyncio.sleep(_BACK_SECONDS)

    async def _hold(self, kind: Kind) -> None:
        with socket.socket() as connection:
            connection.settimeout(0)
            if kind.reads:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(2):
                await loop.sock_connect(connection, ("127.0.0.1", self.port))
            await loop.sock_sendall(connection, kind.opening)
            self.connected += 1
            with contextlib.suppress(OSError):
                await _until_cut_off(connection, kind)
            self.connected -= 1


async def _until_cut_off(connection: socket.socket, kind: Kind) -> None:
    """Send or read slowly until the server ends the connection."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            async with asyncio.timeout(_SECONDS_PER_BYTE):
                data = await loop.sock_recv(connection, 1 if kind.reads else 65_536)
        except TimeoutError:
            await loop.sock_sendall(connection, kind.sends)
            continue
        if not data:
            return
        if kind.reads:
            await asyncio.sleep(_SECONDS_PER_BYTE)


def probe(ask: Callable[[], int], *, seconds: float) -> list[float]:
    """Ask again and again; return the milliseconds of each answer, infinity where it was not 200."""
    waits = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            is_right = ask() == 200
        except OSError:
            is_right = False
        waits.append(1000 * (time.monotonic() - began) if is_right else float("inf"))
        time.sleep(0.1)
    return waits
