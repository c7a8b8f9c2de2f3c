"""Is the machine quiet? Processor seconds of everybody, and of this process with all its descendants."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds() -> float:
    """Processor seconds that anybody used since the machine started, stolen ones included."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle, waits = fields[3], fields[4]
    return (sum(fields) - idle - waits) / _TICKS


def own_seconds() -> float:
    """Processor seconds of this process, its living descendants, and its children that have ended."""
    ticks, parents = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = int(fields[11]) + int(fields[12])
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = sum(count for process, count in ticks.items() if _is_ours(process, parents))
    return living / _TICKS + children.ru_utime + children.ru_stime


def _is_ours(process: int, parents: dict[int, int]) -> bool:
    while process > 1:
        if process == os.getpid():
            return True
        process = parents.get(process, 0)
    return False
