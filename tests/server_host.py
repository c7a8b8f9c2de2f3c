"""A process beside pytest that starts the servers of a test run, each when a test first asks for it.

Apart from pytest, because a server must outlive the worker of xdist that asked first. Whoever asks writes the
name of a server to a Unix socket and reads the answer when it runs.
"""

import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from deploy.local import ports
from deploy.local.broker import Broker
from deploy.local.places import State
from deploy.local.postgres import Postgres
from deploy.local.preflight import Lacking
from deploy.local.supervisor import StartFailed, Supervisor
from deploy.local.triton import Triton

SOCKET = "servers.sock"
UP = "up"
_WAITING = 16

Server = Postgres | Broker | Triton


def servers(state: State, numbers: Mapping[str, int]) -> dict[str, Server]:
    """Return the servers that were given a port, by name."""
    found: dict[str, Server] = {}
    if "postgres" in numbers:
        found["postgres"] = Postgres(state=state, port=numbers["postgres"], is_for_tests=True)
    if "broker" in numbers:
        found["broker"] = Broker(state=state, port=numbers["broker"])
    if "triton" in numbers:
        found["triton"] = Triton(state=state, grpc_port=numbers["triton"], metrics_port=ports.free())
    return found


def main(folder: str, *arguments: str) -> None:
    """Start what is asked for until SIGTERM, then stop all of it; arguments are like `postgres=20123`."""
    state = State(Path(folder))
    numbers = {name: int(number) for name, _, number in (argument.partition("=") for argument in arguments)}
    # A server without a port of ours runs elsewhere: its address was given.
    answers = {name: UP for name in ("postgres", "broker", "triton") if name not in numbers}
    known = servers(state, numbers)
    supervisor = Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
    )
    signal.signal(signal.SIGTERM, _leave)
    with supervisor, socket.socket(socket.AF_UNIX) as listener:
        # Under its name only when it listens: whoever finds the socket connects at once.
        bound = state.path / f"{SOCKET}.bound"
        listener.bind(str(bound))
        listener.listen(_WAITING)
        bound.rename(state.path / SOCKET)
        while True:
            asking, _ = listener.accept()
            with asking, asking.makefile("rw") as line:
                name = line.readline().strip()
                if name not in answers:
                    answers[name] = _start(supervisor, known[name])
                line.write(answers[name])


def _start(supervisor: Supervisor, server: Server) -> str:
    """Return UP, or why it does not start."""
    try:
        service = server.service()
        supervisor.launch(service)
        supervisor.wait_until_up([service.name])
    except (StartFailed, Lacking, OSError) as reason:
        return f"{type(server).__name__} does not start: {reason}"
    return UP


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit()


if __name__ == "__main__":
    main(*sys.argv[1:])
