"""Work that threads repeat beside a trial, until the trial ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Self

from lab.containers.engine import Failed


class Beside:
    """A thread for each of the works. A context manager, which ends them, each after its last answer."""

    def __init__(self, *works: Callable[[], None], pause_seconds: float) -> None:
        self._pause = pause_seconds
        self._ended = threading.Event()
        self._failures: list[str] = []
        """Why works gave up, and what they saw that must not be."""
        self._threads = [threading.Thread(target=self._repeat, args=(work,)) for work in works]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End all of them."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, work: Callable[[], None]) -> None:
        while not self._ended.wait(self._pause):
            try:
                work()
            except Failed as failure:
                self._failures.append(str(failure))
                return
