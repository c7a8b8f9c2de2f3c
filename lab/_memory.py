"""How much memory each part of the running product holds, over time."""

import statistics
import threading
import time

import psutil

from lab import _kills

_EVERY_SECONDS = 5.0
_PARTS = (*_kills.PARTS, _kills.POSTGRES)


class Memory(threading.Thread):
    """Looks every few seconds; pages that processes share count once (PSS)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._began = time.monotonic()
        self._is_over = threading.Event()
        self._seen: list[tuple[float, dict[str, float]]] = []

    def run(self) -> None:
        """Look until told to stop."""
        while not self._is_over.wait(_EVERY_SECONDS):
            sizes = {part: _megabytes(part) for part in _PARTS}
            self._seen.append((time.monotonic() - self._began, sizes))

    def stop(self) -> None:
        """Stop measuring; returns once the thread has ended."""
        self._is_over.set()
        self.join()

    def between(self, begin: float, end: float) -> dict[str, float]:
        """Return the median of each part between two shares of the time, in megabytes; 0 if never seen."""
        whole = time.monotonic() - self._began
        samples = [sizes for at, sizes in self._seen if begin * whole <= at <= end * whole]
        return {part: statistics.median([sizes[part] for sizes in samples] or [0.0]) for part in _PARTS}


def _megabytes(part: str) -> float:
    return sum(pss(process) for process in _family(part)) / 1e6


def _family(part: str) -> set[psutil.Process]:
    processes: set[psutil.Process] = set()
    for number in _kills.processes(part):
        try:
            process = psutil.Process(number)
            processes |= {process, *process.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return processes


def pss(process: psutil.Process) -> float:
    """Return the bytes of a process, 0 if it has ended."""
    try:
        return float(process.memory_full_info().pss)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0
