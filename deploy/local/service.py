"""The supervisor's description of a server: start, health check, stop."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.child import Owner


class NotYet(Exception):
    """A server does not answer as it should, or not yet; the message says how."""


class Broken(NotYet):
    """A server answers, but will never work again without a restart."""


def _nothing() -> None:
    """Check or prepare nothing."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """One server process.

    `check` raises NotYet (or OSError) until the server works, within three seconds; without one a running
    process counts as working. `prepare` runs before each start and removes what a crash left. `is_watched`
    repeats the check while it runs, for servers that can hang while their process lives; one that has worked
    is restarted once it failed for `patience_seconds`. What `needs_servers` stops first, all at once. A
    start, or a step that ends by itself, fails when the process has done nothing for `idle_seconds`; `cure`
    says what to do then. One that `says_itself` what happens writes to the terminal.
    """

    name: str
    command: tuple[str, ...]
    check: Callable[[], None] = _nothing
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] = _nothing
    owner: Owner | None = None
    folder: Path | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    idle_seconds: float = 120
    stop_seconds: float = 10
    is_watched: bool = False
    patience_seconds: float = 20
    needs_servers: bool = False
    says: str = ""
    says_itself: bool = False
    cure: str = "nothing is lost: start again; if it fails in the same way, that log is the place to look"
