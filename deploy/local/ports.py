"""Free ports on the loopback address."""

import random
import socket

LOOPBACK = "127.0.0.1"
_given: set[int] = set()


def is_free(port: int) -> bool:
    """Return whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        # A port that a stopped server just left is free for a new one.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free(*, preferred: int | None = None) -> int:
    """Return the preferred port, or another below the range that outgoing connections take theirs from.

    At random, so that two concurrent starts do not choose the same one; never the same twice.
    """
    if preferred is not None and is_free(preferred):
        return preferred
    for port in random.sample(range(20_000, 31_000), k=1_000):
        if port not in _given and is_free(port):
            _given.add(port)
            return port
    raise OSError("no free loopback port between 20000 and 31000")
