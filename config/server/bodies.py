"""Reads request bodies before a thread is used: with a size limit, a deadline and a minimum rate."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from config.server.limits import Limits
from config.server.refusals import Gone, NoLength, NoRoom, TooLarge, TooSlow

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Bodies:
    """The bodies that the process holds in memory, by client address."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held: Counter[str] = Counter()
        self._total = 0

    async def read(self, environ: dict[str, Any], *, receive: Receive, address: str) -> bytes:
        """Return the body; call `release` with its length when it is not needed any more.

        Raises NoLength, TooLarge, TooSlow, NoRoom, or Gone if the client hung up. A body announced as too
        large is refused unread, so a client with `Expect: 100-continue` does not send it.
        """
        if "HTTP_TRANSFER_ENCODING" in environ:
            raise NoLength
        declared = int(environ.get("CONTENT_LENGTH") or 0)
        if not declared:
            return b""
        if declared > self._limits.body_bytes:
            raise TooLarge
        parts: list[bytes] = []
        try:
            await self._read_into(parts, declared, receive=receive, address=address)
        except BaseException:
            self.release(sum(map(len, parts)), address=address)
            raise
        return b"".join(parts)

    def release(self, size: int, *, address: str) -> None:
        """Release the memory of a body of this size."""
        self._total -= size
        self._held[address] -= size
        if not self._held[address]:
            del self._held[address]

    async def _read_into(self, parts: list[bytes], declared: int, *, receive: Receive, address: str) -> None:
        began, size = asyncio.get_running_loop().time(), 0
        try:
            async with asyncio.timeout_at(began + self._limits.body_seconds) as deadline:
                while size < declared:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Gone
                    size += len(message["body"])
                    self._hold(parts, message["body"], address=address)
                    if size < declared:
                        deadline.reschedule(began + self._seconds_for(size))
        except TimeoutError:
            raise TooSlow from None

    def _hold(self, parts: list[bytes], part: bytes, *, address: str) -> None:
        parts.append(part)
        self._total += len(part)
        self._held[address] += len(part)
        limits = self._limits
        if self._total > limits.held_bytes or self._held[address] > limits.held_bytes_per_address:
            raise NoRoom

    def _seconds_for(self, size: int) -> float:
        seconds = self._limits.body_seconds + size / self._limits.body_bytes_per_second
        return min(seconds, self._limits.body_seconds_at_most)
