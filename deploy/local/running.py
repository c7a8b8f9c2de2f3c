"""One service with its process: health, failures and restart schedule."""

import contextlib
import time
from collections.abc import Callable

from deploy.local.child import Child
from deploy.local.service import Broken, NotYet, Service

_CHECK_SECONDS = 5.0
_WORKING_TIMES = 15
"""How many times its patience one that does not answer has while its process does something."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
_STEADY_SECONDS = 60.0


class Running:
    """A service together with its process and its history of failures."""

    def __init__(self, service: Service, launch: Callable[[Service], Child]) -> None:
        self.service = service
        self.deaths = 0
        self._launch = launch
        self._pause = _SHORTEST_PAUSE
        self._restart_at: float | None = None
        self._next_check = 0.0
        self._failed_checks = 0
        self._started = 0.0
        self._has_worked = False
        self._start()

    def is_up(self) -> bool:
        """Return whether the process runs and its check passes."""
        if self._restart_at is not None or self.child.exit_code() is not None:
            return False
        with contextlib.suppress(NotYet, OSError):
            self.service.check()
            self._has_worked = True
            return True
        return False

    def tend(self) -> str | None:
        """Restart the service if it is due. Return what happened, None for nothing."""
        now = time.monotonic()
        if self._restart_at is not None:
            return self._try_again(now) if now >= self._restart_at else None
        why = self._trouble(now)
        if why is None:
            return None
        self.child.kill_group()
        self.deaths += 1
        if now - self._started > _STEADY_SECONDS:
            self._pause = _SHORTEST_PAUSE
        self._restart_at = now + self._pause
        event = f"{self.service.name} {why}; restarting in {self._pause:g} s"
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        return event

    def ask_to_stop(self) -> None:
        """Send the stop signal and do not wait."""
        self.child.signal(self.service.stop_signal)

    def finish(self) -> None:
        """Wait for the end within the service's patience, then kill what is left of its group."""
        self.child.wait(seconds=self.service.stop_seconds)
        self.child.kill_group()

    def _try_again(self, now: float) -> str | None:
        """Start the service; a failure, such as a full disk, must not end the supervisor."""
        try:
            self._start()
        except OSError as reason:
            self._restart_at = now + _LONGEST_PAUSE
            return f"{self.service.name} cannot be started ({reason}); trying again in {_LONGEST_PAUSE:g} s"
        return None

    def _start(self) -> None:
        self._restart_at = None
        self._failed_checks = 0
        self._started = time.monotonic()
        self._next_check = self._started + _CHECK_SECONDS
        self._has_worked = False
        self.service.prepare()
        self.child = self._launch(self.service)

    def _trouble(self, now: float) -> str | None:
        code = self.child.exit_code()
        if code is not None:
            return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        if not self.service.is_watched or now < self._next_check:
            return None
        self._next_check = now + _CHECK_SECONDS
        try:
            self.service.check()
        except Broken as reason:
            return f"is broken ({reason})"
        except (NotYet, OSError):
            return self._lateness()
        self._has_worked = True
        self._failed_checks = 0
        return None

    def _lateness(self) -> str | None:
        """Evaluate a failed check: a busy server fails once or twice, a dead one every time."""
        if not self._has_worked:
            return "does nothing" if self.child.idle_seconds() > self.service.idle_seconds else None
        self._failed_checks += 1
        patience = self.service.patience_seconds
        # One that works is slow: a restart would cost it more than it lacks.
        works = self.child.idle_seconds() < patience / 2
        is_dead = self._failed_checks * _CHECK_SECONDS >= (_WORKING_TIMES * patience if works else patience)
        return "does not answer" if is_dead else None
