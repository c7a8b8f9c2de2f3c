"""Slow clients that hold a connection: they send or read a byte occasionally, or nothing.

All of them live in one thread of the caller's process. They come back as soon as they are cut off, as an
attacker would.
"""

from __future__ import annotations

import contextlib
import resource
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

_LENGTH = 5_000


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How one kind of client behaves: what it sends at once, and whether it then sends or reads slowly."""

    name: str
    opening: bytes
    sends: bytes = b"x"
    """The byte that it sends again and again, none if it only reads or waits."""
    reads: bool = False


def headers() -> Kind:
    """Return a client that never ends its headers."""
    return Kind(name="headers", opening=b"GET /sign-in/ HTTP/1.1\r\nHost: localhost\r\nX-A: ")


def body(path: str, *, more: str = "", kind: str = "application/x-www-form-urlencoded") -> Kind:
    """Return a client that never ends its body."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}"
    return Kind(name=f"body to {path}", opening=f"{head}Content-Length: {_LENGTH}\r\n\r\n".encode())


def reader(path: str) -> Kind:
    """Return a client that asks for a large answer and takes it by the byte."""
    return Kind(
        name=f"read of {path}",
        opening=f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        sends=b"",
        reads=True,
    )


def idle() -> Kind:
    """Return a client that connects and sends nothing."""
    return Kind(name="idle", opening=b"", sends=b"")


@dataclass(slots=True, eq=False)
class _Client:
    kind: Kind
    connection: socket.socket | None = None
    due: float = 0.0
    received: bytes = b""


@dataclass(slots=True)
class Crowd:
    """Keeps as many connections of these kinds open as there are kinds given; use it as a context."""

    port: int
    kinds: Sequence[Kind]
    seconds_per_byte: float = 2.0
    ends: Counter[str] = field(default_factory=Counter)
    """How connections ended, by kind and first line of the answer."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _clients: list[_Client] = field(default_factory=list)

    def __enter__(self) -> Self:
        allow_many_files()
        self._clients = [_Client(kind) for kind in self.kinds]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    @property
    def connected(self) -> int:
        """Return how many are connected now."""
        return sum(client.connection is not None for client in self._clients)

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            while not self._stop.is_set():
                for key, _ in selector.select(timeout=0.05):
                    self._read(key.data, selector)
                now = time.monotonic()
                for client in self._clients:
                    if client.due <= now:
                        client.due = now + self.seconds_per_byte
                        self._act(client, selector)
        for client in self._clients:
            if client.connection is not None:
                client.connection.close()

    def _act(self, client: _Client, selector: selectors.BaseSelector) -> None:
        with contextlib.suppress(OSError):
            if client.connection is None:
                self._connect(client, selector)
            elif client.kind.reads:
                if not client.connection.recv(1):
                    self._end(client, "cut off")
            elif client.kind.sends:
                client.connection.send(client.kind.sends)
            return
        self._end(client, "cut off", selector)

    def _connect(self, client: _Client, selector: selectors.BaseSelector) -> None:
        connection = socket.socket()
        if client.kind.reads:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(2)
        connection.connect(("127.0.0.1", self.port))
        if client.kind.opening:
            connection.sendall(client.kind.opening)
        connection.settimeout(0.2 if client.kind.reads else 0)
        client.connection, client.received = connection, b""
        if not client.kind.reads:
            selector.register(connection, selectors.EVENT_READ, client)

    def _read(self, client: _Client, selector: selectors.BaseSelector) -> None:
        if client.connection is None:
            return
        try:
            data = client.connection.recv(65_536)
        except OSError:
            data = b""
        client.received += data
        if not data:
            self._end(client, client.received[:12].decode("latin-1") or "cut off", selector)

    def _end(self, client: _Client, how: str, selector: selectors.BaseSelector | None = None) -> None:
        if client.connection is None:
            return
        if selector is not None:
            with contextlib.suppress(KeyError, ValueError):
                selector.unregister(client.connection)
        client.connection.close()
        client.connection = None
        self.ends[f"{client.kind.name}: {how}"] += 1


def allow_many_files() -> None:
    """Let this process have more connections than the 1,024 that many systems begin with."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def probe(ask: Callable[[], int], *, seconds: float, pause: float = 0.1) -> list[float]:
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
        time.sleep(pause)
    return waits
