"""One deadline for a whole call through httpcore: name, connect, TLS, write, read."""

import socket
import ssl
import threading
import time
from concurrent.futures import Future
from typing import Any

import httpcore

_MOST_LOOKUPS = 64
"""Of names at once in a process; each occupies a thread until the resolver gives up."""
_lookups = threading.BoundedSemaphore(_MOST_LOOKUPS)


class _Call(threading.local):
    """The call that this thread makes; httpcore reads and writes in the caller's thread."""

    ends_at = 0.0


call = _Call()


class BoundedStream(httpcore.NetworkStream):
    """A connection whose reads share the call's deadline: httpcore's time-outs start anew with every byte."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the call's own
        """Read what is there before the deadline."""
        return self._stream.read(max_bytes, seconds_left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as above
        """Write before the deadline."""
        self._stream.write(buffer, seconds_left())

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.NetworkStream:
        """Start TLS; the certificate is checked against the name, not against the address."""
        return BoundedStream(self._stream.start_tls(ssl_context, server_hostname, seconds_left()))

    def get_extra_info(self, info: str) -> Any:
        """Return details of the connection, by httpcore's keys."""
        return self._stream.get_extra_info(info)


def seconds_left() -> float:
    """Return the seconds until this thread's deadline. Raises httpcore.ReadTimeout after it."""
    rest = call.ends_at - time.monotonic()
    if rest <= 0:
        raise httpcore.ReadTimeout("The call took too long.")
    return rest


def looked_up(host: str, port: int) -> list[Any]:
    """Resolve the host before the call's deadline, in a thread: the resolver's own time is not ours to set.

    Raises httpcore.ConnectTimeout, also while `_MOST_LOOKUPS` others got no answer, OSError or UnicodeError.
    """
    future: Future[list[Any]] = Future()

    def look_up() -> None:
        try:
            future.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as failure:  # noqa: BLE001 - raised in the thread that asked
            future.set_exception(failure)
        finally:
            _lookups.release()

    if not _lookups.acquire(timeout=seconds_left()):
        raise httpcore.ConnectTimeout("Too many names are being looked up.")
    threading.Thread(target=look_up, name="lookup", daemon=True).start()
    try:
        return future.result(seconds_left())
    except TimeoutError as late:
        raise httpcore.ConnectTimeout("The name server did not answer in time.") from late
