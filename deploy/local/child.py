"""A child process that cannot be orphaned: it is signalled when its parent dies, with its whole group."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MARK = "SPAMDESK_SUPERVISED"
"""Set to the state folder in every child, so that the next start finds leftover processes."""

_PR_SET_PDEATHSIG = 1
# Loaded now: after a change of user the library may not be readable.
_LIBC = ctypes.CDLL(None, use_errno=True)
_LARGEST_LOG_BYTES = 20_000_000
_LOOK_SECONDS = 5.0
_PATIENCE_SECONDS = 10.0
_LEAST_WORK_SECONDS = 0.1
"""What a hanging server uses to refuse our checks is less, in the time that it is given."""


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The user a child runs as, when it must not be root."""

    user_id: int
    group_id: int


class Child:
    """One process in a session of its own, writing to its own log file.

    Start it from the main thread only: the kernel sends the death signal when the *thread* that forked ends.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        mark: str,
        owner: Owner | None = None,
        death_signal: signal.Signals = signal.SIGTERM,
        folder: Path | None = None,
        says_itself: bool = False,
    ) -> None:
        self._keep(log)
        # A file, not a pipe: it survives a killed supervisor, and no child blocks on a full pipe.
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=None if says_itself else output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**environment, MARK: mark},
                start_new_session=True,
                user=owner.user_id if owner else None,
                group=owner.group_id if owner else None,
                extra_groups=[] if owner else None,
                preexec_fn=dies_with(os.getpid(), death_signal),  # noqa: PLW1509 - one thread only
            )

    def _keep(self, log: Path) -> None:
        rotate(log)
        self._log, self._done = log, (0.0, 0)
        self._moved_at = self._look_at = time.monotonic()

    @property
    def id(self) -> int:
        """Return the process id, which is also its group's."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return the exit code, None while it runs. Reaps it: PostgreSQL does not start beside its zombie."""
        return self._process.poll()

    def idle_seconds(self) -> float:
        """Return for how long its process group has used no processor time and written nothing, to some 5 s.

        On a busy machine a clock cannot tell one that still imports from one that hangs.
        """
        now = time.monotonic()
        if now >= self._look_at:  # not each time: it reads about every process of the machine
            self._look_at = now + _LOOK_SECONDS
            work = (_processor_seconds(self.id), self._log.stat().st_size)
            if abs(work[0] - self._done[0]) >= _LEAST_WORK_SECONDS or work[1] != self._done[1]:
                self._done, self._moved_at = work, now
        return now - self._moved_at

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process itself."""
        if self.exit_code() is None:
            os.kill(self.id, number)

    def wait(self, *, seconds: float | None = None) -> bool:
        """Wait for its end; return whether it ended in time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    def kill_group(self) -> None:
        """Kill the whole process group: a web worker survives its killed parent and would keep the port."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.id, signal.SIGKILL)
        self.wait()


def kill_leftovers(*, mark: str) -> list[int]:
    """Kill the leftover processes of this state folder. Return their ids."""
    process_ids = leftovers(mark=mark)
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE_SECONDS
        _send(process_ids, number)
        while leftovers(mark=mark) and time.monotonic() < deadline:
            time.sleep(0.05)
    return process_ids


def leftovers(*, mark: str) -> list[int]:
    """Return the ids of the running processes that carry this mark."""
    variable = f"{MARK}={mark}".encode()
    others = (process_id for process_id in _process_ids() if process_id != os.getpid())
    return [process_id for process_id in others if variable in _variables(process_id)]


def rotate(log: Path) -> None:
    """Rotate a large log, keeping one older file; the writer appends, so it continues after the truncation.

    Without room for the older file it is dropped: a log must not stop a service.
    """
    with contextlib.suppress(OSError):
        if log.stat().st_size > _LARGEST_LOG_BYTES:
            with contextlib.suppress(OSError):
                shutil.copyfile(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)


def dies_with(parent: int, number: signal.Signals) -> Callable[[], None]:
    """Return what a new process calls to be sent this signal when its parent ends."""

    def prepare() -> None:
        # After the change of user, which clears the death signal.
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # the parent died before prctl
            os._exit(1)

    return prepare


def _send(process_ids: list[int], number: signal.Signals) -> None:
    for process_id in process_ids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, number)


def _process_ids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _processor_seconds(group: int) -> float:
    """Return the processor time of a process group, its ended children included."""
    ticks = 0
    for process_id in _process_ids():
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{process_id}/stat").read_text(errors="replace")
            # proc_pid_stat(5): behind the bracketed name the third is the group; utime to cstime follow.
            fields = stat.rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15])) if int(fields[2]) == group else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def _variables(process_id: int) -> list[bytes]:
    try:
        return Path(f"/proc/{process_id}/environ").read_bytes().split(b"\0")
    except OSError:  # gone meanwhile, or another user's
        return []
