"""TCP lines that fail as networks do: cut, frozen, or gone together with the server behind them."""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Self
from urllib.parse import urlsplit

from tests.deploy.product import Product, command_line

_CHUNK = 65_536


class Line:
    """Passes bytes on to a server on this machine, unless it is cut or frozen."""

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._is_cut = False
        self._flows = threading.Event()
        self._flows.set()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @contextlib.contextmanager
    def cut(self) -> Iterator[None]:
        """End every connection and every new one at once, until the block is left."""
        self._is_cut = True
        self._hang_up()
        yield
        self._is_cut = False

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Take connections and bytes, and pass nothing on, until the block is left."""
        self._flows.clear()
        yield
        self._flows.set()

    def close(self) -> None:
        """End it for good."""
        self._listener.close()
        self._hang_up()

    def instead_of(self, address: str) -> str:
        """Return a server's address by way of this line."""
        url = urlsplit(address)
        return url._replace(netloc=url.netloc.replace(f":{_port(address)}", f":{self.port}")).geturl()

    def _hang_up(self) -> None:
        for line in list(self._open):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                if self._is_cut:
                    client.close()
                    continue
                server = socket.create_connection(self._server)
                self._open |= {client, server}
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(_CHUNK):
                self._flows.wait()
                target.sendall(part)
        for end in (source, target):
            self._open.discard(end)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextlib.contextmanager
def line_to(address: str) -> Iterator[Line]:
    """Yield a line to the server at an address; end it with the block."""
    line = Line(_port(address))
    try:
        yield line
    finally:
        line.close()


def _port(address: str) -> int:
    port = urlsplit(address).port
    assert port is not None, address
    return port


class DeafLine:
    """A connection to the web server that hears its first byte, kills it, and passes nothing on.

    The answer is written after the commit: what is lost is the answer alone.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(timeout=60)
        self._listener.close()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with client, socket.create_connection(("127.0.0.1", self._product.port)) as server:
            threading.Thread(target=_copy, args=(client, server), daemon=True).start()
            server.recv(1)
            for process in self._product.processes():
                if "config.server" in command_line(process):
                    os.kill(process, signal.SIGKILL)
            client.shutdown(socket.SHUT_RDWR)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(_CHUNK):
            target.sendall(part)
