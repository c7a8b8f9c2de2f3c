"""Reads hostile bytes in a process of its own, which may be lost: killed at its deadline, started again."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from moderation.evidence.child import ANSWER, FRAME
from moderation.evidence.facts import Reason, Unreadable

MOST_ANSWER_BYTES = 4_000_000
READS_PER_PROCESS = 500
"""After so many reads the process is replaced: what libraries leak goes with it."""
_ROOT = Path(__file__).resolve().parent.parent.parent


class Lost(Exception):
    """The process was killed, by its deadline or by the system; what it read is not tried again at once."""


class Reader:
    """One process that reads one thing at a time; safe to use from several threads, which wait their turn."""

    def __init__(self, *, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._turn = threading.Lock()
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
        with self._turn:
            is_new = self._child is None or self._child.poll() is not None
            child = self._start() if is_new else self._running()
            try:
                if kind not in self._kinds:
                    _ask(child, kind, b"", hints=hints, seconds=start_seconds, is_start=True)
                answer = _ask(child, kind, data, hints=hints, seconds=seconds)
            except (OSError, ValueError, EOFError, TimeoutError) as lost:
                self._end()
                raise Lost(f"The reader of {kind} was lost: {type(lost).__name__}.") from lost
            self._reads += 1
            self._kinds.add(kind)
            if self._reads >= READS_PER_PROCESS:
                self._end()
        if "unreadable" in answer:
            raise Unreadable(Reason(answer["unreadable"]))
        return dict(answer["facts"])

    def close(self) -> None:
        """End the process; the next read starts another."""
        with self._turn:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            raise Lost("The reader is not there.")
        return self._child

    def _start(self) -> subprocess.Popen[bytes]:
        self._end()
        # No environment but what Python needs: the bytes are hostile, and secrets are not for them.
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "moderation.evidence.child", str(self._memory_bytes)],
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

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        child.wait()


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
