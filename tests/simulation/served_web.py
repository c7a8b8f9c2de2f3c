"""The simulated web over HTTP, in a thread of the test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from simulation.web.server import WebServer
from simulation.web.simulated_web import SimulatedWeb


@contextmanager
def serving(web: SimulatedWeb, *, clock: Callable[[], datetime]) -> Iterator[WebServer]:
    """Serve a web on a free port while the block runs."""
    with WebServer(web, port=0, clock=clock) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
