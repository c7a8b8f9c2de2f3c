"""Kill processes of the running product with signal 9, and see how soon others stand in."""

import os
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from deploy.local import child

_WORKERS = ("housekeeping", "webhooks", "background", "evidence", "exports", "learning")
PARTS = {
    "worker": "spamdesk (scoring)",
    "broker": "valkey-server",
    "Triton": "tritonserver",
    **{name: f"spamdesk ({name})" for name in (*_WORKERS, "web")},
}
"""What stands on the command line of each part that is found by it. PostgreSQL is found by its lock file."""
POSTGRES = "PostgreSQL"
_BACK_WITHIN_SECONDS = 90


@dataclass(frozen=True, kw_only=True)
class Kill:
    """One killed process; `seconds_until_back` is infinite if none stood in."""

    name: str
    after_posts: int
    process: int
    seconds_until_back: Future[float]


def kill(name: str, *, after_posts: int, watchers: ThreadPoolExecutor) -> Kill:
    """Kill the part's first process, and watch for its successor in a thread; ends if there is none."""
    process_ids = processes(name)
    if not process_ids:
        sys.exit(f"No {name} of this product runs here; it can only be killed on the machine of `make run`.")
    os.kill(process_ids[0], signal.SIGKILL)
    back = watchers.submit(_seconds_until_back, name, gone=frozenset(process_ids))
    return Kill(name=name, after_posts=after_posts, process=process_ids[0], seconds_until_back=back)


def processes(name: str) -> list[int]:
    """Return the running product's processes of this name, the oldest first: the one that owns the others."""
    if name == POSTGRES:
        return _postgres()
    ours = child.leftovers(mark=os.environ["SPAMDESK_STATE_DIR"])
    # By id, which is by age as long as ids have not wrapped round between two starts.
    return sorted(process for process in ours if PARTS[name] in command(process))


def command(process: int) -> str:
    """Return the command line of a process, nothing if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def print_kills(kills: list[Kill]) -> None:
    """Print a line for each, once their successors are there."""
    print(f"{'killed -9':<12}{'after posts':>12}{'process':>10}{'seen replaced after':>22}")
    for kill_ in kills:
        seconds = kill_.seconds_until_back.result()
        print(f"{kill_.name:<12}{kill_.after_posts:>12}{kill_.process:>10}{seconds:>20.1f} s")


def _postgres() -> list[int]:
    """Return the server that the lock of the cluster names; it overwrites its environment."""
    folder = Path(os.environ["SPAMDESK_STATE_DIR"]) / "postgres"
    pointer = folder / "elsewhere"
    cluster = (Path(pointer.read_text().strip()) if pointer.exists() else folder) / "cluster"
    try:
        process = int((cluster / "postmaster.pid").read_text().splitlines()[0])
        is_there = Path(f"/proc/{process}").exists()
    except (OSError, ValueError, IndexError):
        return []
    return [process] if is_there else []


def _seconds_until_back(name: str, *, gone: frozenset[int]) -> float:
    killed_at = time.monotonic()
    while time.monotonic() - killed_at < _BACK_WITHIN_SECONDS:
        # The children of a killed worker linger for a moment: only a process that was not there counts.
        if set(processes(name)) - gone:
            return time.monotonic() - killed_at
        time.sleep(0.1)
    return float("inf")
