"""Starts services, waits until each works, restarts what dies, stops all in reverse order. One thread."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self

from deploy.local.child import Child, rotate
from deploy.local.running import Running
from deploy.local.service import Service

_LOOP_SECONDS, _WATCH_SECONDS = 0.2, 0.5
_DEATHS_AT_START = 3
_LINES_SHOWN = 15
_ROTATE_SECONDS = 30.0
_TELL_SECONDS = 10.0
_TELL_STARTING_SECONDS = 30.0


class StartFailed(Exception):
    """A service did not come up; the message names it and its log."""


class Stopped(Exception):
    """A stop was requested while services were starting."""


def say(line: str) -> None:
    """Print a line, unless the terminal is gone, or the disk of the file full."""
    with contextlib.suppress(OSError):
        print(line, flush=True)


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
        self._rotate_at, self._loop_seconds = 0.0, _LOOP_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def request_stop(self, _number: int = 0, _frame: object = None) -> None:
        """Request the stop; a second request stops at once."""
        if self.is_stopping:
            for running in self._services:
                running.child.signal(signal.SIGKILL)
        self.is_stopping = True

    def launch(self, service: Service) -> None:
        """Start a service without waiting for it."""
        self._services.append(Running(service, self._start_child))

    def bring_up(self, *services: Service) -> None:
        """Start services and wait until they are up. Raises StartFailed."""
        for service in services:
            self.launch(service)
        self.wait_until_up([service.name for service in services])

    def launch_once(self, service: Service) -> None:
        """Start a process that may end and is not restarted."""
        self._guests.append(self._start_child(service))

    def wait_until_up(self, names: Iterable[str]) -> None:
        """Wait for these services, with a line for each, and one now and then for those that still start.

        Raises StartFailed when one dies again and again, or does nothing for its `idle_seconds`.
        """
        service_names = set(names)
        waiting = [running for running in self._services if running.service.name in service_names]
        start = last = time.monotonic()
        while waiting:
            self.tend()
            now = time.monotonic()
            seconds = now - start
            for running in list(waiting):
                service = running.service
                if running.is_up():
                    last = now
                    self._say(f"  {service.name:<12} ready after {seconds:4.1f} s   {service.says}")
                    waiting.remove(running)
                elif running.deaths >= _DEATHS_AT_START:
                    raise self._failure(service, f"ended {running.deaths} times")
                elif running.child.idle_seconds() > service.idle_seconds:
                    raise self._failure(service, f"has done nothing for {service.idle_seconds:g} s")
            if now - last > _TELL_STARTING_SECONDS:
                last = now
                line = ", ".join(f"{running.service.name} ({seconds:.0f} s)" for running in waiting)
                self._say(f"  still starting: {line}")

    def run_step(self, service: Service) -> None:
        """Run a process that ends by itself, tending the others meanwhile; report now and then.

        Raises StartFailed if it fails, or does nothing for its `idle_seconds`.
        """
        start = last = time.monotonic()
        step = self._start_child(service)
        try:
            while step.exit_code() is None:
                self.tend()
                now = time.monotonic()
                if step.idle_seconds() > service.idle_seconds:
                    raise self._failure(service, f"has done nothing for {service.idle_seconds:g} s")
                if now - last > _TELL_SECONDS:
                    last = now
                    self._tell(service, seconds=now - start)
        finally:
            step.kill_group()
        if step.exit_code() != 0:
            raise self._failure(service, "failed")
        self._say(f"  {service.name:<12} done after  {time.monotonic() - start:4.1f} s   {service.says}")

    def watch(self) -> None:
        """Keep everything running until the end is asked for."""
        self._loop_seconds = _WATCH_SECONDS
        with contextlib.suppress(Stopped):
            while True:
                self.tend()

    def stop(self) -> None:
        """Stop what needs the servers first, then the servers."""
        self.is_stopping = True
        for guest in self._guests:
            guest.kill_group()
        self._guests.clear()
        for is_first in (True, False):
            group = [
                running for running in reversed(self._services) if running.service.needs_servers == is_first
            ]
            for running in group:
                running.ask_to_stop()
            for running in group:
                running.finish()
        self._services.clear()

    def _log(self, service: Service) -> Path:
        return self._logs / f"{service.name}.log"

    def _tell(self, service: Service, *, seconds: float) -> None:
        lines = self._log(service).read_text(errors="replace").splitlines()
        self._say(
            f"  {service.name:<12} at {seconds:5.0f} s   {lines[-1].strip()[:100] if lines else ''}".rstrip()
        )

    def _failure(self, service: Service, what: str) -> StartFailed:
        log = self._log(service)
        end = log.read_text(errors="replace").splitlines()[-_LINES_SHOWN:] if log.exists() else []
        lines = [f"    {line[:300]}" for line in end or ["(empty)"]]
        return StartFailed(
            "\n".join([f"{service.name} {what}; the end of {log}:", *lines, f"  {service.cure}"])
        )

    def _start_child(self, service: Service) -> Child:
        return Child(
            service.command,
            log=self._log(service),
            mark=self._mark,
            owner=service.owner,
            environment={**self.environment, **service.environment},
            death_signal=service.stop_signal,
            folder=service.folder,
            says_itself=service.says_itself,
        )

    def tend(self) -> None:
        """Check every process once, then sleep briefly. Raises Stopped after a stop request."""
        if self.is_stopping:
            raise Stopped
        for guest in self._guests:
            guest.exit_code()  # reaps it
        for running in self._services:
            if event := running.tend():
                self._say(f"  {event}; see {self._log(running.service)}")
        if time.monotonic() >= self._rotate_at:
            self._rotate_at = time.monotonic() + _ROTATE_SECONDS
            for log in self._logs.glob("*.log"):
                rotate(log)
        time.sleep(self._loop_seconds)
