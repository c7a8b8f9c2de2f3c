"""A reader's process in which the bytes have won: it does what they say, in the jail that every other has."""

import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from moderation.evidence import child, page
from moderation.evidence.facts import PageFacts

COMMAND = ("-m", "tests.moderation.evidence.hostile_child")
WITHOUT_JAIL = (
    "-c",
    (
        "from moderation.evidence import child, jail\n"
        "jail._REFUSED.update(landlock=(444, 444), seccomp=(317, 277))\n"
        "jail._refuse_calls()\n"
        "child.main()"
    ),
)
"""A process whose kernel seems to know neither Landlock nor seccomp."""
HOLDS = b"<p>holds its reader"


def read(data: bytes, hints: Mapping[str, str]) -> PageFacts:
    """Read a page, unless it holds the process until its deadline."""
    if HOLDS in data:
        time.sleep(60)
    return page.read(data, hints)


def attempt(_data: bytes, hints: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Try to reach out of the process; return how each attempt ended, by what should have stopped it."""
    parent, file = os.getppid(), Path(hints["file"])
    attempts: dict[str, dict[str, Callable[[], object]]] = {
        "landlock": {
            "passwords": Path("/etc/passwd").read_bytes,
            "file": file.read_bytes,
            "list": lambda: list(file.parent.iterdir()),
            "write": lambda: file.write_text("x"),
            "make": (file.parent / "new").touch,
            "remove": file.unlink,
            "environment": Path(f"/proc/{parent}/environ").read_bytes,
            "memory": Path(f"/proc/{parent}/mem").read_bytes,
        },
        "seccomp": {
            "close": lambda: file.chmod(0),
            "cut": lambda: os.truncate(file, 0),
            "internet": socket.socket,
            "unix": lambda: socket.socket(socket.AF_UNIX),
            "fork": _fork,
            "run": lambda: subprocess.run(["/bin/true"], check=True),
            "replace": lambda: os.execv("/bin/true", ["true"]),
            "signal": lambda: os.kill(parent, 0),
            "group": lambda: os.kill(0, signal.SIGCONT),
            "trace": lambda: _called("ptrace", 16, parent, 0, 0),
            "uring": lambda: _called("syscall", 425, 1, 0),
        },
        "nothing": {"thread": _thread, "itself": lambda: os.kill(os.getpid(), 0)},
    }
    return {part: {name: _outcome(tried) for name, tried in of.items()} for part, of in attempts.items()}


def _outcome(tried: Callable[[], object]) -> str:
    try:
        tried()
    except OSError as refused:
        return type(refused).__name__
    return "done"


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _thread() -> None:
    thread = threading.Thread(target=time.monotonic)
    thread.start()
    thread.join()


def _called(function: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc[function](*map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), function)


if __name__ == "__main__":
    child.READERS |= {"page": "__main__:read", "attempt": "__main__:attempt"}
    child.main()
