"""Reads hostile bytes in processes of their own, which may be lost: killed at a deadline, started again."""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from moderation.evidence import jail
from moderation.evidence.child import ANSWER, FRAME
from moderation.evidence.facts import Reason, Unreadable

MOST_ANSWER_BYTES = 4_000_000
READS_PER_PROCESS = 500
"""After so many reads the process is replaced: what libraries leak goes with it."""
_HALF_LIFE_SECONDS = 60.0
_CHILD = ("-m", "moderation.evidence.child")
_ROOT = Path(__file__).resolve().parent.parent.parent


class Lost(Exception):
    """The process was killed, by its deadline or by the system; what it read is not tried again at once."""


class Busy(Exception):
    """No process was free in time, or none could be had; nothing was read."""


class Readers:
    """Processes that several threads share: asking more often gets nobody more of them.

    An owner holds all processes but one at most. Next comes the owner that took least time lately, and of its
    sites the one that did: those that cost readers wait for those that do not.
    """

    def __init__(self, count: int, *, memory_bytes: int, server: Path | None = None) -> None:
        self._idle = [Reader(memory_bytes=memory_bytes, server=server) for _ in range(count)]
        self._all = tuple(self._idle)
        self._changed = threading.Condition()
        self._waiting: list[tuple[str, str]] = []
        self._held: Counter[str] = Counter()
        self._seconds: defaultdict[str | tuple[str, str], float] = defaultdict(float)
        self._halved_at = time.monotonic()
        self._is_closed = False

    def read(
        self,
        kind: str,
        data: bytes,
        *,
        hints: Mapping[str, str],
        seconds: float,
        owner: str,
        site: str,
        ends_at: float,
    ) -> dict[str, Any]:
        """Return the facts of some bytes that an owner has from a site, as Reader.read does.

        Waits for a process until `ends_at`, of time.monotonic. Raises Busy, Unreadable or Lost.
        """
        reader = self._take(owner, site, ends_at=ends_at)
        began = time.monotonic()
        try:
            return reader.read(kind, data, hints=hints, seconds=seconds)
        finally:
            self._put_back(reader, owner, site, seconds=time.monotonic() - began)

    @property
    def lacking(self) -> frozenset[str]:
        """What their jails lack, as `jail.enter` names it."""
        return frozenset(name for reader in self._all for name in reader.lacking)

    def close(self) -> None:
        """End the processes with what they are reading; threads that wait are refused."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for reader in self._all:
            reader.close()

    def _take(self, owner: str, site: str, *, ends_at: float) -> "Reader":
        with self._changed:
            mine = (owner, site)
            self._waiting.append(mine)
            try:
                while not self._idle or self._next() is not mine:
                    if self._is_closed or not self._changed.wait(ends_at - time.monotonic()):
                        raise Busy
                self._held[owner] += 1
                return self._idle.pop()
            finally:
                self._waiting = [other for other in self._waiting if other is not mine]
                self._changed.notify_all()

    def _next(self) -> tuple[str, str] | None:
        most = max(1, len(self._all) - 1)
        allowed = [pair for pair in self._waiting if self._held[pair[0]] < most]
        return min(allowed, key=lambda pair: (self._seconds[pair[0]], self._seconds[pair]), default=None)

    def _put_back(self, reader: "Reader", owner: str, site: str, *, seconds: float) -> None:
        with self._changed:
            if time.monotonic() - self._halved_at > _HALF_LIFE_SECONDS:
                self._halved_at = time.monotonic()
                halves = {name: took / 2 for name, took in self._seconds.items() if took > 1}
                self._seconds = defaultdict(float, halves)
            self._seconds[owner] += seconds
            self._seconds[owner, site] += seconds
            self._held[owner] -= 1
            # Taken from the end: first those that run.
            self._idle.insert(len(self._idle) if reader.is_running else 0, reader)
            self._changed.notify_all()


class Reader:
    """One process that reads one thing at a time, for one thread at a time.

    It is a child of this one, or of the server at this Unix socket (`server`).
    """

    def __init__(self, *, memory_bytes: int, server: Path | None = None) -> None:
        self._memory_bytes, self._server = memory_bytes, server
        self.lacking: list[str] = []
        """What the last process lacks of its jail (`jail.enter`)."""
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._reads = 0
        self._kinds: set[str] = set()

    def read(
        self, kind: str, data: bytes, *, hints: Mapping[str, str], seconds: float, start_seconds: float = 30.0
    ) -> dict[str, Any]:
        """Return the facts of some bytes, as plain JSON values.

        Before the first of a kind the process has `start_seconds` more, to load what it needs. Raises Busy,
        Unreadable or Lost.
        """
        connection = self._connection
        if connection is None or not self.is_running:
            connection = self._start(seconds=start_seconds)
        try:
            if kind not in self._kinds:
                memory = self._memory_bytes
                started = _ask(connection, kind, b"", hints=hints, seconds=start_seconds, start_with=memory)
                self.lacking = started.get("lacking", [])
            answer = _ask(connection, kind, data, hints=hints, seconds=seconds)
        except (OSError, ValueError, EOFError, TimeoutError) as lost:
            self.close()
            raise Lost(f"The reader of {kind} was lost: {type(lost).__name__}.") from lost
        self._reads += 1
        self._kinds.add(kind)
        if self._reads >= READS_PER_PROCESS:
            self.close()
        if "unreadable" in answer:
            raise Unreadable(Reason(answer["unreadable"]))
        return dict(answer["facts"])

    @property
    def is_running(self) -> bool:
        """Whether a process waits for bytes: a connection at its end would have something to read."""
        return self._connection is not None and not _is_ready(self._connection, select.POLLIN, seconds=0)

    def close(self) -> None:
        """End the process; the next read starts another."""
        child, self._child = self._child, None
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        if child is not None:
            child.kill()
            child.wait()

    def _start(self, *, seconds: float) -> socket.socket:
        self.close()
        if self._server:
            connection = _connected(self._server, seconds=seconds)
        else:
            connection, its = socket.socketpair()
            with its:
                self._child = start_child(its)
        connection.settimeout(0.0)
        self._connection, self._reads, self._kinds = connection, 0, set()
        return connection


def start_child(connection: socket.socket) -> subprocess.Popen[bytes]:
    """Start a process that answers what comes over a connection."""
    jail.hide()
    # No environment but what Python needs: the bytes are hostile, and secrets are not for them.
    env = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, *_CHILD],
        stdin=connection.fileno(),
        stdout=connection.fileno(),
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        # One thread, and one pool of memory: the limit counts what is mapped, also if it is never used.
        env=env | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
        start_new_session=True,
    )


def _connected(server: Path, *, seconds: float) -> socket.socket:
    ends_at = time.monotonic() + seconds
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(server))
        except OSError as refused:  # it starts, or starts again
            connection.close()
            if time.monotonic() > ends_at:
                raise Busy from refused
            time.sleep(0.2)
        else:
            return connection


def _ask(
    connection: socket.socket,
    kind: str,
    data: bytes,
    *,
    hints: Mapping[str, str],
    seconds: float,
    start_with: int = 0,
) -> dict[str, Any]:
    ends_at = time.monotonic() + seconds
    request = {"kind": kind, "hints": dict(hints), "seconds": seconds, "start_with_bytes": start_with}
    header = json.dumps(request).encode()
    rest = memoryview(FRAME.pack(len(header), len(data)) + header + data)
    while rest:
        _wait(connection, select.POLLOUT, ends_at=ends_at)
        rest = rest[connection.send(rest) :]
    (length,) = ANSWER.unpack(_read(connection, ANSWER.size, ends_at=ends_at))
    if length > MOST_ANSWER_BYTES:
        raise ValueError
    answer: dict[str, Any] = json.loads(_read(connection, length, ends_at=ends_at))
    return answer


def _read(connection: socket.socket, length: int, *, ends_at: float) -> bytes:
    data = b""
    while len(data) < length:
        _wait(connection, select.POLLIN, ends_at=ends_at)
        piece = connection.recv(length - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def _wait(connection: socket.socket, event: int, *, ends_at: float) -> None:
    if not _is_ready(connection, event, seconds=max(0.0, ends_at - time.monotonic())):
        raise TimeoutError


def _is_ready(connection: socket.socket, event: int, *, seconds: float) -> bool:
    poll = select.poll()
    poll.register(connection, event)
    return bool(poll.poll(seconds * 1000))
