"""Triton from a wheel, in its own environment, loopback only, administered over a Unix socket of this user's.

It accepts a key for its admin endpoints only on the command line, where every local user can read it with
`ps`. So there is none: HTTP, with all endpoints, listens on a socket in a folder that only this user may
enter, and gRPC requires a header for them that cannot be sent.

This version (2.51) has known holes (docs/security.md): never give it a public address.
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import socket
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.local import ports, preflight, triton_files
from deploy.local.card import Card
from deploy.local.places import ROOT, TRITON_ENVIRONMENT, State
from deploy.local.service import Broken, NotYet, Service

# HTTP/2 has no capitals and no blanks in names of headers (RFC 9113 §8.2.1): gRPC drops such a request.
_UNSENDABLE = "Nobody can send this"
_RESTRICTED = "model-repository,shared-memory,statistics,trace,logging,model-config"
_MOST_BYTES_OF_A_SOCKET = 100  # sun_path holds 108, and Triton writes "unix:" before it
_CANARY = {"inputs": [{"name": "TEXT", "datatype": "BYTES", "shape": [1, 1], "data": ["is anybody there?"]}]}


@dataclass(frozen=True, kw_only=True)
class Triton:
    """The inference server with its two ports and the socket of its administrator; a container on a card."""

    state: State
    grpc_port: int
    metrics_port: int
    repository: Path = ROOT / "triton_repo"
    card: Card | None = None

    @property
    def url(self) -> str:
        """Return the address, as TRITON_URL takes it."""
        return f"grpc://{ports.LOOPBACK}:{self.grpc_port}"

    @property
    def socket(self) -> Path:
        """Return the socket of the HTTP protocol, in a folder that only this user may enter."""
        return _short_enough(self.state.folder("triton/admin") / "http.sock")

    @property
    def administration(self) -> dict[str, str]:
        """Return the settings by which the application installs, loads and unloads models here."""
        return {
            "SPAMDESK_TRITON_ADMIN_SOCKET": str(self.socket),
            "SPAMDESK_TRITON_MODELS_DIR": str(self._installed),
        }

    def service(self) -> Service:
        """Return the service. Raises Lacking if its Python part would hang for want of a library."""
        common = Service(
            name="triton",
            command=(),
            prepare=self._remove_what_a_crash_left,
            check=self._check,
            stop_seconds=7,
            is_watched=True,
            says=f"Triton: gRPC {self.grpc_port}, metrics {self.metrics_port}",
        )
        if self.card is not None:
            models = self.card.models(self.state)
            server = ("tritonserver", *self._options(self.card.repository(self.state), *models))
            # The client of a container engine does nothing meanwhile.
            return replace(
                common,
                command=self.card.command(self.state, server),
                idle_seconds=600,
                stop_seconds=20,
                says=f"{common.says}; {', '.join(models)}: TensorRT on {self.card.name}, the rest: processor",
            )
        files = triton_files.find(TRITON_ENVIRONMENT)
        lacks = preflight.for_stub(files.stub, library_path=files.library_path)
        if lacks:
            raise preflight.Lacking("\n".join(lack.line for lack in lacks))
        return replace(
            common,
            command=self._command(files),
            environment={
                # The stub finds its Python by PATH and its library by the loader path; nothing else works.
                "PATH": f"{TRITON_ENVIRONMENT / 'bin'}:{os.environ.get('PATH', os.defpath)}",
                "LD_LIBRARY_PATH": files.library_path,
                "TOKENIZERS_PARALLELISM": "false",
                "PYTHONDONTWRITEBYTECODE": "1",  # the model repository is part of the checkout
            },
        )

    def _command(self, files: triton_files.TritonFiles) -> tuple[str, ...]:
        return (
            str(files.server),
            *self._options(self.repository, "content", "topics"),
            f"--backend-directory={self._backends(files)}",
            f"--cache-directory={files.caches}",
            "--allow-gpu-metrics=false",
            "--allow-cpu-metrics=false",
            "--pinned-memory-pool-byte-size=0",
        )

    def _options(self, repository: Path, *models: str) -> tuple[str, ...]:
        return (
            f"--model-repository={repository}",
            f"--model-repository={self._installed}",
            "--model-control-mode=explicit",
            *(f"--load-model={name}" for name in (*models, *self._live_models())),
            "--exit-on-error=false",  # an unusable release must not stop the others
            f"--http-address=unix:{self.socket}",
            f"--grpc-address={ports.LOOPBACK}",
            f"--metrics-address={ports.LOOPBACK}",
            f"--grpc-port={self.grpc_port}",
            f"--metrics-port={self.metrics_port}",
            f"--grpc-restricted-protocol={_RESTRICTED}:{_UNSENDABLE}=nothing",
            f"--backend-config=python,shm-region-prefix-name={self._shared_memory_prefix}",
            "--exit-timeout-secs=5",  # a dead stub would delay the exit by 30 s
        )

    def _backends(self, files: triton_files.TritonFiles) -> Path:
        """Return a backend folder of three links: the wheel keeps the stub where the server does not look."""
        folder = self.state.folder("triton") / "backends" / "python"
        folder.mkdir(parents=True, exist_ok=True)
        for file in (files.backend, files.python_module, files.stub):
            link = folder / file.name
            link.unlink(missing_ok=True)
            link.symlink_to(file)
        return folder.parent

    @property
    def _installed(self) -> Path:
        """Return the folder of the content models that promoted releases brought."""
        return self.state.folder("triton/models")

    def _live_models(self) -> list[str]:
        """Return those that the last promotion noted: of the live release and of those on standby."""
        note = self.state.folder("triton") / "live-models"
        names = note.read_text().split() if note.exists() else []
        return [name for name in names if (self._installed / name).is_dir()]

    @property
    def _shared_memory_prefix(self) -> str:
        # The same at every start of this state folder, so that what a killed server left is found.
        return f"spamdesk_{hashlib.sha256(os.fsencode(self.state.path)).hexdigest()[:12]}_"

    def _remove_what_a_crash_left(self) -> None:
        if self.card is not None:
            self.card.remove(self.state)
        self.socket.unlink(missing_ok=True)  # Triton refuses to start on one that is there
        for region in Path("/dev/shm").glob(f"{self._shared_memory_prefix}*"):
            region.unlink(missing_ok=True)

    def _check(self) -> None:
        """Request one inference: readiness stays green when the Python backend is dead."""
        with contextlib.closing(UnixConnection(self.socket, timeout=3)) as connection:
            connection.request("POST", "/v2/models/content/infer", body=json.dumps(_CANARY))
            answer = connection.getresponse()
            body = answer.read().decode(errors="replace")
        if answer.status == 200 or "maximum queue size" in body:  # a full queue means alive
            return
        if "is not healthy" in body:
            raise Broken("its Python part died")
        raise NotYet(body[:200])


def main() -> None:
    """Serve in the foreground, for the unit of an installation, on the ports that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m deploy.local.triton", description=main.__doc__)
    parser.add_argument("--grpc-port", type=int, default=8001)
    parser.add_argument("--metrics-port", type=int, default=8002)
    service = Triton(state=State.from_environment(), **vars(parser.parse_args())).service()
    service.prepare()
    os.execve(service.command[0], service.command, {**os.environ, **service.environment})


class UnixConnection(http.client.HTTPConnection):
    """HTTP to a server that listens on a socket file, which http.client does not know of by itself."""

    def __init__(self, path: Path, *, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def _short_enough(path: Path) -> Path:
    """Return the path if it fits into a socket's address. Raises Lacking."""
    if len(os.fsencode(path)) <= _MOST_BYTES_OF_A_SOCKET:
        return path
    raise preflight.Lacking(
        f"the path {path} is too long for a socket; set SPAMDESK_STATE_DIR to a shorter folder"
    )


if __name__ == "__main__":
    main()
