"""Starts the web server: `python -m config.server --host=0.0.0.0 --port=8000 --processes=2`.

The only place for its options; `make run`, containers and unit files run this.
"""

from __future__ import annotations

import argparse
import os
import resource
import socket
import tempfile
from pathlib import Path

from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import MPServer as Server

from config.server import beat, limits, watch


def main() -> None:
    """Serve until SIGTERM; requests in progress are finished."""
    options = _options()
    _allow_many_files()
    with tempfile.TemporaryDirectory(prefix="spamdesk-web-") as folder:
        server = _server(options)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = Path(folder) / "beats"
        listener.bind(str(address))
        os.environ[beat.ADDRESS] = str(address)
        watch.over(
            lambda: [worker.inner.pid for worker in list(server.wrks)],
            listener=listener,
            silent_beats=options.silent_seconds,
        )
        server.serve()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m config.server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--silent-seconds", type=int, default=30, help="a process that shows no life for so long is replaced"
    )
    return parser.parse_args()


def _server(options: argparse.Namespace) -> Server:
    return Server(
        "config.asgi:application",
        address=options.host,
        port=options.port,
        workers=options.processes,
        interface=Interfaces.ASGI,
        # HTTP/2 without TLS (h2c) would allow smuggling requests past a proxy that upgrades connections.
        http=HTTPModes.http1,
        websockets=False,
        backlog=limits.BACKLOG,
        backpressure=limits.CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=1000 * limits.HEADER_SECONDS, max_buffer_size=limits.HEADER_BYTES
        ),
        log_level=LogLevels.warning,
        loop=Loops.asyncio,  # uvloop was no faster
        respawn_failed_workers=True,
        respawn_interval=limits.REPLACE_SECONDS,
        workers_kill_timeout=limits.STOP_SECONDS,
    )


def _allow_many_files() -> None:
    """Raise the limit of open files to the maximum: every connection is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    main()
