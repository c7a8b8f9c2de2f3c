"""Sends answers: small ones at once, large ones in chunks; slow readers are disconnected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import IO, Any

from config.server.limits import Limits

Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, headers and body; a body that is a file is read while it is sent, and closed afterwards."""

    status: int
    headers: Iterable[tuple[str, str]]
    body: bytes | IO[bytes]


async def deliver(answer: Answer, *, send: Send, limits: Limits, files: Executor) -> bool:
    """Send an answer; return False if the reader was too slow and was disconnected.

    A file is read in the executor `files`, so that a slow disk does not block the event loop. Every answer
    has a Content-Length, so a disconnected reader knows that it is incomplete.
    """
    await send({"type": "http.response.start", "status": answer.status, "headers": _raw(answer.headers)})
    body = answer.body
    if isinstance(body, bytes) and len(body) <= 4 * limits.piece_bytes:
        await send({"type": "http.response.body", "body": body})
        return True
    try:
        async for piece in _pieces(body, size=limits.piece_bytes, files=files):
            async with asyncio.timeout(limits.piece_seconds):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    except TimeoutError:
        return False  # unfinished: the server closes the connection
    finally:
        if not isinstance(body, bytes):
            await asyncio.get_running_loop().run_in_executor(files, body.close)
    await send({"type": "http.response.body", "body": b""})
    return True


def _raw(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.strip().encode("latin-1")) for name, value in headers]


async def _pieces(body: bytes | IO[bytes], *, size: int, files: Executor) -> AsyncIterator[bytes]:
    if isinstance(body, bytes):
        for start in range(0, len(body), size):
            yield body[start : start + size]
        return
    loop = asyncio.get_running_loop()
    while piece := await loop.run_in_executor(files, body.read, size):
        yield piece
