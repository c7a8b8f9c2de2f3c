"""Reads hostile bytes in processes of their own, which may be lost: killed at a deadline, started again."""

from __future__ import annotations

import json
import os
import select
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
    """No process was free in time; nothing was read."""


class Readers:
    """Processes that several threads share: none for whoever asks most.

    An owner has all processes but one at most. Who comes next is the owner that took least time lately, and
    among what is its own, the site that did: what loses readers waits for what does not.
    """

    def __init__(self, count: int, *, memory_bytes: int) -> None:
        self._idle = [Reader(memory_bytes=memory_bytes) for _ in range(count)]
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
        """End the processes, and with them what is being read; who waits is refused."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for reader in self._all:
            reader.close()

    def _take(self, owner: str, site: str, *, ends_at: float) -> Reader:
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
        allowed = [one for one in self._waiting if self._held[one[0]] < most]
        return min(allowed, key=lambda one: (self._seconds[one[0]], self._seconds[one]), default=None)

    def _put_back(self, reader: Reader, owner: str, site: str, *, seconds: float) -> None:
        with self._changed:
            if time.monotonic() - self._halved_at > _HALF_LIFE_SECONDS:
                self._halved_at = time.monotonic()
                left = {name: took / 2 for name, took in self._seconds.items() if took > 1}
                self._seconds = defaultdict(float, left)
            self._seconds[owner] += seconds
            self._seconds[owner, site] += seconds
            self._held[owner] -= 1
            # Taken from the end: first those that run.
            self._idle.insert(len(self._idle) if reader.is_running else 0, reader)
            self._changed.notify_all()


class Reader:
    """One process that reads one thing at a time, for one thread at a time."""

    def __init__(self, *, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self.lacking: list[str] = []
        """What the last process lacks of its jail (`jail.enter`)."""
        self._child: subprocess.Popen[bytes] | None = None
        self._reads = 0
        self._kinds: set[str] = set()

    def read(
        self, kind: str, data: bytes, *, hints: Mapping[str, str], seconds: float, start_seconds: float = 30.0
    ) -> dict[str, Any]:
        """Return the facts of some bytes, as plain JSON values.

        Before the first of a kind the process has `start_seconds` to load what it needs: they are no part of
        the time that the bytes have. Raises Unreadable or Lost.
        """
        child = self._child
        if child is None or child.poll() is not None:
            child = self._start()
        try:
            if kind not in self._kinds:
                started = _ask(child, kind, b"", hints=hints, seconds=start_seconds, is_start=True)
                self.lacking = started.get("lacking", [])
            answer = _ask(child, kind, data, hints=hints, seconds=seconds)
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
        """Whether a process waits for bytes, or reads some."""
        return self._child is not None and self._child.poll() is None

    def close(self) -> None:
        """End the process; the next read starts another."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        child.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        self.close()
        jail.hide()
        # No environment but what Python needs: the bytes are hostile, and secrets are not for them.
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        self._child = subprocess.Popen(
            [sys.executable, *_CHILD, str(self._memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            # One thread, and one pool of memory: the limit counts what is mapped, also if it is never used.
            env=kept | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
            start_new_session=True,
        )
        self._reads, self._kinds = 0, set()
        return self._child


def _ask(
    child: subprocess.Popen[bytes],
    kind: str,
    data: bytes,
    *,
    hints: Mapping[str, str],
    seconds: float,
    is_start: bool = False,
) -> dict[str, Any]:
    if child.stdin is None or child.stdout is None:
        raise EOFError
    ends_at = time.monotonic() + seconds
    asked = {"kind": kind, "hints": dict(hints), "seconds": seconds, "is_start": is_start}
    header = json.dumps(asked).encode()
    _write(child.stdin.fileno(), FRAME.pack(len(header), len(data)) + header + data, ends_at=ends_at)
    (length,) = ANSWER.unpack(_read(child.stdout.fileno(), ANSWER.size, ends_at=ends_at))
    if length > MOST_ANSWER_BYTES:
        raise ValueError
    answer: dict[str, Any] = json.loads(_read(child.stdout.fileno(), length, ends_at=ends_at))
    return answer


def _write(pipe: int, frame: bytes, *, ends_at: float) -> None:
    os.set_blocking(pipe, False)
    left = memoryview(frame)
    while left:
        _wait(pipe, is_write=True, ends_at=ends_at)
        left = left[os.write(pipe, left) :]


def _read(pipe: int, length: int, *, ends_at: float) -> bytes:
    found = b""
    while len(found) < length:
        _wait(pipe, is_write=False, ends_at=ends_at)
        piece = os.read(pipe, length - len(found))
        if not piece:
            raise EOFError
        found += piece
    return found


def _wait(pipe: int, *, is_write: bool, ends_at: float) -> None:
    poll = select.poll()
    poll.register(pipe, select.POLLOUT if is_write else select.POLLIN)
    if not poll.poll(max(0.0, ends_at - time.monotonic()) * 1000):
        raise TimeoutError
