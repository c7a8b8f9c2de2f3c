"""Fair queue of requests that wait for a thread: clients in turn, and no client can fill it."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Generic, Protocol, TypeVar


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


Item = TypeVar("Item", bound=_Keyed)


class FairQueue(Generic[Item]):
    """A bounded queue with a line for each key. Threads take from the lines in turn."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._lines: OrderedDict[str, deque[Item]] = OrderedDict()
        self._filled = threading.Condition(threading.Lock())

    def put(self, item: Item) -> Item | None:
        """Add an item; return the one that had to make room, None if there was room.

        If the queue is full the longest line loses its newest item, which is the new item itself if no line
        is longer than its own.
        """
        with self._filled:
            displaced = None
            if self._size >= self._most:
                longest = max(self._lines.values(), key=len)
                if len(longest) <= len(self._lines.get(item.key, ())) + 1:
                    return item
                displaced = longest.pop()
                self._size -= 1
            self._lines.setdefault(item.key, deque()).append(item)
            self._size += 1
            self._filled.notify()
            return displaced

    def take(self) -> Item:
        """Wait for an item and return it: the oldest of the line whose turn it is."""
        with self._filled:
            while not self._size:
                self._filled.wait()
            key, line = self._lines.popitem(last=False)
            item = line.popleft()
            self._size -= 1
            if line:
                self._lines[key] = line  # at the end: the others come first
            return item

    def withdraw(self, item: Item) -> bool:
        """Remove an item; return False if a thread has it already."""
        with self._filled:
            line = self._lines.get(item.key, deque())
            if item not in line:
                return False
            line.remove(item)
            self._size -= 1
            if not line:
                del self._lines[item.key]
            return True
