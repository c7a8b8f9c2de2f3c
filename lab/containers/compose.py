"""`deploy/compose.yaml`, run by podman-compose, with its health checks asked from here.

podman starts health checks by systemd's timers, and podman-compose waits for them from podman 4.6 on: a
machine with neither would start everything at once. So services start in the order in which they need one
another.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path

from deploy.local.places import ROOT
from lab.containers import engine as containers
from lab.containers import images
from lab.containers.engine import Engine

COMPOSE = ROOT / "deploy" / "compose.yaml"
_STAND_INS = ROOT / "deploy" / "containers" / "stand_ins" / "compose.yaml"
_PODMAN_COMPOSE = "podman-compose==1.6.0"
_TORCH_INDEX = "https://pypi.org/simple"
STORES = ("postgres", "valkey", "triton-cpu")
WORKERS = ("scoring", "housekeeping", "webhooks", "background", "evidence", "exports", "learning")
_HEALTHY_SECONDS, _MIGRATED_SECONDS = 300, 600


@dataclass(frozen=True)
class Stack:
    """The services of the compose file as one project."""

    engine: Engine
    project: str
    environment: Path
    folder: Path
    port: int

    @classmethod
    def create(cls, engine: Engine, *, folder: Path, project: str, port: int) -> Stack:
        """Install podman-compose into the engine's folder and write the project's secrets into `folder`."""
        if not (engine.folder / "compose" / "bin" / "podman-compose").exists():
            subprocess.run([sys.executable, "-m", "venv", str(engine.folder / "compose")], check=True)
            pip = [str(engine.folder / "compose" / "bin" / "pip"), "install", "--quiet", _PODMAN_COMPOSE]
            subprocess.run(pip, check=True)
        environment = folder / "environment"
        environment.write_text("".join(f"{name}={value}\n" for name, value in settings(port=port).items()))
        environment.chmod(0o600)
        return cls(engine, project, environment, folder, port)

    def build(self, service: str) -> None:
        """Build a service's image as the compose file says."""
        options = " ".join(images.build_options(self.folder))
        self._compose(f"--podman-build-args={options}", "build", service, log=f"build-{service}")

    def start(self, *, say: containers.Say) -> None:
        """Start everything, each service when those that it needs are healthy."""
        self._up(*STORES)
        self.engine.weigh()
        for service in STORES:
            seconds = self.wait_until_healthy(service)
            say(f"  {service} is healthy after {seconds:.0f} s")
        self._up("migrate")
        seconds = containers.wait("migrations", self._is_migrated, seconds=_MIGRATED_SECONDS)
        say(f"  migrated after {seconds:.0f} s")
        self._up("web", "reader", *WORKERS, "beat")
        say(f"  web is healthy after {self.wait_until_healthy('web'):.0f} s")

    def wait_until_healthy(self, service: str) -> float:
        """Wait for the service's own health check and return the seconds."""
        name = self.container(service)
        return containers.wait(
            f"{service}'s health", lambda: self.engine.is_healthy(name), seconds=_HEALTHY_SECONDS
        )

    @property
    def killed(self) -> tuple[str, ...]:
        """Return the services whose containers a trial kills, those last that others need."""
        return (*WORKERS, "reader", "beat", "web", *reversed(STORES))

    def is_asked(self, service: str) -> bool:
        """Return whether the service has a check of its health."""
        return service in (*STORES, "web")

    def container(self, service: str) -> str:
        """Return the name of a service's container."""
        return f"{self.project}_{service}_1"

    def run(self, service: str, *command: str) -> str:
        """Run a command in a service's container and return its output."""
        return self.engine("exec", self.container(service), *command)

    def stop(self) -> None:
        """Remove containers, networks and volumes of the project."""
        self._compose("--profile=*", "down", "--volumes", "--timeout=10", log="down")

    def _up(self, *services: str) -> None:
        self._compose("up", "--detach", "--no-build", "--no-deps", *services, log=f"up-{services[0]}")

    def _is_migrated(self) -> bool:
        name = self.container("migrate")
        state = self.engine.state(name)
        if state["Status"] == "exited" and state["ExitCode"] != 0:
            raise containers.Failed(f"migrations failed:\n{self.engine.logs(name)[-3_000:]}")
        return bool(state["Status"] == "exited")

    def _compose(self, *arguments: str, log: str) -> None:
        program = self.engine.folder / "compose" / "bin" / "podman-compose"
        options = [f"--file={COMPOSE}", f"--file={_STAND_INS}", f"--env-file={self.environment}"]
        options += [f"--project-name={self.project}", "--in-pod=false", "--profile=cpu", "--profile=learning"]
        self.engine.program(str(program), *options, *arguments, log=self.folder / f"{log}.log")


def settings(*, port: int) -> dict[str, str]:
    """Return what the compose file needs of deploy/.env, with secrets of its own."""
    return {
        "POSTGRES_PASSWORD": secrets.token_urlsafe(24),
        "VALKEY_PASSWORD": secrets.token_urlsafe(24),
        "SPAMDESK_SECRET_KEY": secrets.token_urlsafe(64),
        "SPAMDESK_ENCRYPTION_KEYS": urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "SPAMDESK_ALLOWED_HOSTS": "localhost",
        "SPAMDESK_METRICS_TOKEN": secrets.token_urlsafe(24),
        "SPAMDESK_WEB_PORT": str(port),
        "SCORING_PROCESSES": "1",
        "SPAMDESK_IMAGE": "localhost/spamdesk",
        "TRITON_IMAGE": "localhost/spamdesk-triton",
        "POSTGRES_IMAGE": images.stand_in("postgres"),
        "VALKEY_IMAGE": images.stand_in("valkey"),
        "TORCH_INDEX": _TORCH_INDEX,
    }
