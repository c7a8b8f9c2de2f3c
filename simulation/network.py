"""The one exception of the guard: in a demonstration, this machine serves what simulated posts lead to.

Names that end in .example, .test or .invalid are nobody's (RFC 2606, RFC 6761) and never resolve; others that
simulated texts name are not to be called for a simulation. If, and only if, SIMULATED_WEB_PORT is set, which
production refuses, fetching a page under such a name connects to that port of 127.0.0.1, without TLS; every
other name is resolved and checked as ever. Nothing that a post says chooses the port.
"""

import ssl
from collections.abc import Iterable

import httpcore
from django.conf import settings

from moderation.operations.infrastructure.egress_deadline import BoundedStream, seconds_left
from simulation.texts import named_hosts

RESERVED = (".example", ".test", ".invalid")
_LOOPBACK = "127.0.0.1"
_SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


def around(network: httpcore.NetworkBackend) -> httpcore.NetworkBackend:
    """Return a network that leads such names to the simulated web; the same one if there is none."""
    port = settings.SIMULATED_WEB_PORT
    return _SimulatedNetwork(network, port=port) if port and not settings.IS_PRODUCTION else network


class _SimulatedNetwork(httpcore.NetworkBackend):
    """Leads names of the simulation to a port of this machine, all others to the network around it."""

    def __init__(self, network: httpcore.NetworkBackend, *, port: int) -> None:
        self._network = network
        self._port = port

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to a host, or to what stands in for it."""
        name = host.lower().rstrip(".")
        if not name.endswith(RESERVED) and name not in named_hosts():
            return self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        stream = httpcore.SyncBackend().connect_tcp(
            _LOOPBACK, self._port, seconds_left(), local_address, socket_options
        )
        return _PlainStream(stream)


class _PlainStream(BoundedStream):
    """A connection that stays plain: the simulated web holds no certificates."""

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Return the same connection."""
        return self
