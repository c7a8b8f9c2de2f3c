"""Starts services, waits until each works, restarts what dies, stops all in reverse order. One thread, one loop."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self

from deploy.local.child import Child
from deploy.local.service import Broken, NotYet, Service

_LOOP_SECONDS = 0.1
_CHECK_SECONDS = 5.0
_FAILED_CHECKS = 4
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
_STEADY_SECONDS = 60.0


class StartFailed(Exception):
    """A service did not come up; the message names it and its log."""


class Stopped(Exception):
    """Someone asked for the end while services were starting."""


class Running:
    """A service together with its process and its history of failures."""

    def __init__(self, service: Service, launch: Callable[[Service], Child]) -> None:
        self.service = service
        self._launch = launch
        self._pause = _SHORTEST_PAUSE
        self._restart_at: float | None = None
        self._next_check = 0.0
        self._failed_checks = 0
        self._start()

    def is_up(self) -> bool:
        """Return whether the process runs and its check passes."""
        if self._restart_at is not None or self.child.exit_code() is not None:
            return False
        with contextlib.suppress(NotYet, OSError):
            self.service.check()
            return True
        return False

    def tend(self) -> str | None:
        """Restart the service if it is due. Return what happened, None for nothing."""
        now = time.monotonic()
        if self._restart_at is not None:
            if now >= self._restart_at:
                self._start()
            return None
        why = self._trouble(now)
        if why is None:
            return None
        self.child.kill_group()
        if now - self._started > _STEADY_SECONDS:
            self._pause = _SHORTEST_PAUSE
        self._restart_at = now + self._pause
        happened = f"{self.service.name} {why}; restarting in {self._pause:g} s"
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        return happened

    def ask_to_stop(self) -> None:
        """Send the stop signal and do not wait."""
        self.child.signal(self.service.stop_signal)

    def finish(self) -> None:
        """Wait for the end within the service's patience, then kill what is left of its group."""
        self.child.wait(seconds=self.service.stop_seconds)
        self.child.kill_group()

    def _start(self) -> None:
        self._restart_at = None
        self._failed_checks = 0
        self._started = time.monotonic()
        self._next_check = self._started + self.service.start_seconds
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
            # A busy server may be late once or twice; a dead one is late every time.
            self._failed_checks += 1
            return "does not answer" if self._failed_checks >= _FAILED_CHECKS else None
        self._failed_checks = 0
        return None


class Supervisor:
    """Owns every child process; use it as a context, which stops them all."""

    def __init__(
        self, *, logs: Path, mark: str, environment: Mapping[str, str], say: Callable[[str], None]
    ) -> None:
        self._logs, self._mark, self._say = logs, mark, say
        self.environment = dict(environment)
        self.is_stopping = False
        self._services: list[Running] = []
        self._guests: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def request_stop(self, _number: int = 0, _frame: object = None) -> None:
        """Note that the end was asked for; a second time it is meant."""
        if self.is_stopping:
            for running in self._services:
                running.child.signal(signal.SIGKILL)
        self.is_stopping = True

    def launch(self, service: Service) -> None:
        """Start a service without waiting for it."""
        self._services.append(Running(service, self._start_child))

    def launch_once(self, service: Service) -> None:
        """Start a process that may end when it likes and is not started again."""
        self._guests.append(self._start_child(service))

    def wait_until_up(self, names: Iterable[str]) -> None:
        """Wait for these services, with a line for each. Raises StartFailed after a service's own deadline."""
        wanted = set(names)
        waiting = {
            running.service.name: running for running in self._services if running.service.name in wanted
        }
        begun = time.monotonic()
        while waiting:
            self._breathe()
            for name, running in list(waiting.items()):
                waited = time.monotonic() - begun
                if running.is_up():
                    self._say(f"  {name:<10} ready after {waited:.1f} s  {running.service.says}")
                    del waiting[name]
                elif waited > running.service.start_seconds:
                    raise StartFailed(
                        f"{name} did not start within {running.service.start_seconds:g} s\n{self.tail(name)}"
                    )

    def run_step(self, service: Service) -> None:
        """Run a process that ends by itself, tending the others meanwhile. Raises StartFailed if it fails."""
        begun = time.monotonic()
        step = self._start_child(service)
        try:
            while step.exit_code() is None:
                self._breathe()
                if time.monotonic() - begun > service.start_seconds:
                    raise StartFailed(
                        f"{service.name} took longer than {service.start_seconds:g} s\n{self.tail(service.name)}"
                    )
        finally:
            step.kill_group()
        if step.exit_code() != 0:
            raise StartFailed(f"{service.name} failed\n{self.tail(service.name)}")
        self._say(f"  {service.name:<10} done after {time.monotonic() - begun:.1f} s  {service.says}")

    def watch(self) -> None:
        """Keep everything running until the end is asked for."""
        with contextlib.suppress(Stopped):
            while True:
                self._breathe()

    def stop(self) -> None:
        """Stop in reverse order, each service only after those that need it."""
        self.is_stopping = True
        for guest in self._guests:
            guest.kill_group()
        self._guests.clear()
        for running in reversed(self._services):
            running.ask_to_stop()
            running.finish()
        self._services.clear()

    def tail(self, name: str, *, lines: int = 15) -> str:
        """Return the end of a service's log, for the terminal."""
        log = self._logs / f"{name}.log"
        text = log.read_text(errors="replace").splitlines()[-lines:] if log.exists() else []
        return "\n".join([f"  the end of {os.path.relpath(log)}:", *(f"    {line[:300]}" for line in text)])

    def _start_child(self, service: Service) -> Child:
        return Child(
            service.command,
            log=self._logs / f"{service.name}.log",
            mark=self._mark,
            owner=service.owner,
            environment={**self.environment, **service.environment},
            death_signal=service.stop_signal,
            folder=service.folder,
        )

    def _breathe(self) -> None:
        if self.is_stopping:
            raise Stopped
        for guest in self._guests:
            guest.exit_code()  # reaps it
        for running in self._services:
            if happened := running.tend():
                self._say(f"  {happened}; see {os.path.relpath(self._logs / running.service.name)}.log")
        time.sleep(_LOOP_SECONDS)
