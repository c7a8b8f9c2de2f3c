"""Both servers, started as the product starts its own, each with the same weights and tokenizer."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.local import ports
from deploy.local.places import ROOT, State
from deploy.local.service import NotYet, Service
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where one listens, and how the table names it."""

    name: str
    kind: str
    address: str


@contextlib.contextmanager
def running(*, folder: Path) -> Iterator[Starter]:
    """Yield a starter; stop all its servers in the end."""
    state = State(folder / "state")
    with Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
    ) as supervisor:
        yield Starter(supervisor=supervisor, folder=folder)


@dataclass(frozen=True, kw_only=True)
class Starter:
    """Starts servers under one supervisor."""

    supervisor: Supervisor
    folder: Path

    def peer(
        self, *, pad: str, script: Path, tokenizer: Path, device: str = "cpu", says: str = "TorchScript"
    ) -> Server:
        """Start TorchScript behind FastAPI, padded to "128" or to the "batch"."""
        port = ports.free()
        command = [sys.executable, "-m", "lab._serving.peer", f"--model={script}", f"--pad={pad}"]
        self._start(
            Service(
                name=f"peer-{pad}-{script.stem}",
                command=(*command, f"--tokenizer={tokenizer}", f"--port={port}", f"--device={device}"),
                folder=ROOT,
                check=lambda: _answers(port),
            )
        )
        name = f"{says}, padded to {'128' if pad == '128' else 'the batch'}"
        return Server(name=name, kind="peer", address=f"http://{ports.LOOPBACK}:{port}/predict")

    def triton(self, *, name: str, model: Path, repository: Path) -> Server:
        """Start Triton on a copy of the repository with this model.onnx in it."""
        copy = self.folder / name / "triton_repo"
        ignore = shutil.ignore_patterns("model.onnx", "topics", "__pycache__")
        shutil.copytree(repository, copy, ignore=ignore)
        (copy / "distilbert" / "1" / "model.onnx").symlink_to(model.resolve())
        return self.triton_on(copy, name=name)

    def triton_on(self, repository: Path, *, name: str) -> Server:
        """Start Triton on a whole repository."""
        server = Triton(
            state=State(self.folder / name / "state"),
            grpc_port=ports.free(),
            metrics_port=ports.free(),
            repository=repository,
        )
        self._start(dataclasses.replace(server.service(), name=f"triton-{name}"))
        return Server(name=f"Triton, {name}", kind="triton", address=server.url.removeprefix("grpc://"))

    def _start(self, service: Service) -> None:
        self.supervisor.launch(service)
        self.supervisor.wait_until_up([service.name])


def _answers(port: int) -> None:
    connection = http.client.HTTPConnection(ports.LOOPBACK, port, timeout=2)
    with contextlib.closing(connection):
        connection.request("GET", "/ready")
        if connection.getresponse().status != 200:
            raise NotYet("not ready")
