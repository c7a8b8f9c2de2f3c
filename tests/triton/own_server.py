"""A Triton of a test's own, under a supervisor as in `make run`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local import ports
from deploy.local.places import ROOT, State
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton


@contextmanager
def serving(state: State, *, repository: Path = ROOT / "triton_repo") -> Iterator[tuple[Triton, Supervisor]]:
    """Serve a repository; give the server once it is up, and who watches it."""
    server = Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free(), repository=repository)
    with Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
    ) as supervisor:
        supervisor.bring_up(server.service())
        yield server, supervisor
