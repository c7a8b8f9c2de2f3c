"""podman with settings, storage and networks of its own in one folder: nothing of it touches the machine's.

Standard library only. `enter` must have been called: it sees one version of cgroups only.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.preflight import Lack
from lab.systems import engine as systems

_ENTERED = "SPAMDESK_ENTERED"
_NETWORKING = ("netavark", "aardvark-dns", "iptables")
_PODMAN = ("podman", "crun", "buildah", "fuse-overlayfs", "catatonit", *_NETWORKING)
_PROGRAMS = {
    "podman": _PODMAN,
    "iptables": _NETWORKING,
    "debootstrap": ("debootstrap",),
    "unshare": ("util-linux",),
}
_RUNNING = "/run/spamdesk"
_SHARES = Path("/sys/fs/cgroup/cpu/libpod_parent/cpu.shares")  # of the first version of cgroups


Say = Callable[[str], None]
"""Shows a line of progress."""


class Failed(Exception):
    """A step of the trial failed; the message says which."""


def lacks(folder: Path, *, command: str) -> list[Lack]:
    """Return what this machine lacks to build and run the images in the folder."""
    return systems.lacks_for("networks of their own", folder, command=command, programs=_PROGRAMS)


def enter(module: str) -> None:
    """Start this command anew where podman finds one version of cgroups, unless it runs there already."""
    if not os.environ.get(_ENTERED):
        command = [*systems.WITH_ONE_CGROUPS, sys.executable, "-m", module, *sys.argv[1:]]
        os.execvpe(command[0], command, os.environ | {_ENTERED: "1"})


@dataclass(frozen=True)
class Engine:
    """Containers, images, volumes and networks in `folder`."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Engine:
        """Write the settings of an engine whose everything lies in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        limits = ", ".join(f'"{name}={value}:{value}"' for name, value in systems.limits().items())
        (folder / "containers.conf").write_text(
            f"[containers]\ndefault_ulimits = [{limits}]\n"
            '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
            f'[network]\nnetwork_config_dir = "{folder}/networks"\n'
        )
        # podman allows 50 characters for it; it is gone after a restart of the machine.
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/storage"\n'
            f'runroot = "{_RUNNING}-{folder.stat().st_ino}"\n'
        )
        return cls(folder)

    def weigh(self) -> None:
        """Let the containers weigh as much as so many processes: all together they would weigh as one."""
        if _SHARES.exists():
            _SHARES.write_text(str(12 * 1_024))

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables with which any program of podman works in this folder."""
        return os.environ | {
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
        }

    def __call__(self, *arguments: str, given: bytes | None = None) -> str:
        """Run podman and return its output. Raises Failed with the end of what it said."""
        return self.program("podman", *arguments, given=given)

    def program(self, *command: str, given: bytes | None = None, log: Path | None = None) -> str:
        """Run a program with this engine and return its output; with `log`, write both outputs there."""
        result = subprocess.run(command, env=self.environment, input=given, capture_output=True, check=False)
        output = result.stdout.decode(errors="replace")
        if log is not None:
            log.write_bytes(result.stdout + result.stderr)
        if result.returncode != 0:
            end = (output + result.stderr.decode(errors="replace"))[-3_000:]
            raise Failed(f"{shlex.join(command)[:300]} ended with exit code {result.returncode}:\n{end}")
        return output

    def succeeds(self, *arguments: str) -> bool:
        """Return whether podman ends with exit code 0."""
        command = ["podman", *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, check=False).returncode == 0

    def has_image(self, name: str) -> bool:
        """Return whether an image of this name is kept."""
        return self.succeeds("image", "exists", name)

    def state(self, container: str) -> dict[str, Any]:
        """Return the container's state as podman inspects it."""
        state: dict[str, Any] = json.loads(self("container", "inspect", container))[0]["State"]
        return state

    def logs(self, container: str) -> str:
        """Return what the container wrote."""
        result = subprocess.run(
            ["podman", "logs", container], env=self.environment, capture_output=True, check=False
        )
        return (result.stdout + result.stderr).decode(errors="replace")

    def save_logs(self, folder: Path) -> None:
        """Write what every container said, to be read after a failure."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in self("ps", "--all", "--format={{.Names}}").split():
            if name.endswith("-infra"):  # a pod's own container, which says nothing
                continue
            (folder / f"{name}.log").write_text(self.logs(name))

    def is_healthy(self, container: str) -> bool:
        """Ask the container's own health check, which no timer of this machine runs."""
        return self.succeeds("healthcheck", "run", container)

    def kill_process(self, container: str) -> None:
        """Kill the container's first process from outside, so that podman takes it for a failure."""
        process = int(self.state(container)["Pid"])
        if process <= 0:
            raise Failed(f"{container} does not run")
        os.kill(process, signal.SIGKILL)


def wait(what: str, is_done: Callable[[], bool], *, seconds: float) -> float:
    """Wait until it is done and return the seconds it took. Raises Failed if it does not come."""
    began = time.monotonic()
    while not is_done():
        if time.monotonic() - began > seconds:
            raise Failed(f"{what} did not come within {seconds:.0f} s")
        time.sleep(0.5)
    return time.monotonic() - began
