"""The one way out to addresses that others choose: checked at connect time, bounded in time and size.

Names are resolved here and the connection goes to the very address that was checked, so a second answer of
the name server (DNS rebinding) changes nothing. Private addresses and unusual ports are refused unless the
operator lists the host.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import can_ada
import httpcore
import httpx
from django.conf import settings

from moderation.operations import special_addresses

TIMEOUT_SECONDS = 10.0
PORTS = frozenset({80, 443, 8080, 8443})
_MAX_RETRY_AFTER_SECONDS = 86_400
_NETWORK_TROUBLE = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
_SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Refused(Exception):
    """The address must not be called; trying again would not help."""


class Failed(Exception):
    """The call did not get an answer; trying again may help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came back. `retry_after_seconds` is 0 if the receiver did not ask to wait."""

    status: int
    body: bytes = b""
    retry_after_seconds: float = 0.0


def check(url: str) -> httpx.URL:
    """Return the URL taken apart if it may be called as far as its words say. Raises Refused."""
    try:
        target = httpx.URL(url)
    except httpx.InvalidURL as refused:
        raise Refused("The address is not a URL.") from refused
    if target.scheme not in {"http", "https"} or not target.host or target.userinfo:
        raise Refused("The address must be http or https, with a host and without credentials.")
    if _port(target) not in PORTS and not _is_listed(target.host):
        raise Refused(f"Port {_port(target)} is not one of {', '.join(map(str, sorted(PORTS)))}.")
    if not _is_listed(target.host):
        _refuse_special_host(target.host)
    return target


def post(*, url: str, body: bytes, headers: Mapping[str, str]) -> Answered:
    """Post to a URL; follows no redirect, reads no body. Raises Refused or Failed."""
    return _call("POST", url, content=body, headers=headers, seconds=TIMEOUT_SECONDS, most_bytes=0)


def get(*, url: str, headers: Mapping[str, str], timeout_seconds: float, most_bytes: int) -> Answered:
    """Get a URL with its body as it was sent; follows no redirect. Raises Refused or Failed."""
    wanted = {**headers, "accept-encoding": "identity"}
    return _call("GET", url, content=None, headers=wanted, seconds=timeout_seconds, most_bytes=most_bytes)


def _call(
    method: str,
    url: str,
    *,
    content: bytes | None,
    headers: Mapping[str, str],
    seconds: float,
    most_bytes: int,
) -> Answered:
    target = check(url)
    host = target.host if target.port is None else f"{target.host}:{target.port}"
    network = _CheckedNetwork(seconds)
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    try:
        with (
            httpcore.ConnectionPool(
                ssl_context=ssl.create_default_context(), network_backend=network
            ) as pool,
            pool.stream(
                method,
                str(target),
                headers=[*headers.items(), ("host", host)],
                content=content,
                extensions={"timeout": timeouts},
            ) as response,
        ):
            body = _bounded(response, most_bytes) if most_bytes else b""
            given = {name.lower(): value for name, value in response.headers}
            return Answered(
                status=response.status,
                body=body,
                retry_after_seconds=_retry_after(given.get(b"retry-after", b"")),
            )
    except (*_NETWORK_TROUBLE, ssl.SSLError) as failure:
        raise Failed(type(failure).__name__) from failure


def _bounded(response: httpcore.Response, most_bytes: int) -> bytes:
    body = b""
    for piece in response.iter_stream():
        body += piece
        if len(body) > most_bytes:
            raise Failed(f"The answer has more than {most_bytes} bytes.")
    return body


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects to addresses that were checked, and to nothing after the call's time is over."""

    def __init__(self, seconds: float) -> None:
        self._network = httpcore.SyncBackend()
        self._ends_at = time.monotonic() + seconds

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - one deadline bounds the whole call
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host. Raises Refused or Failed."""
        address = _checked_address(host, port)
        stream = self._network.connect_tcp(address, port, _left(self._ends_at), local_address, socket_options)
        return _BoundedStream(stream, ends_at=self._ends_at)


class _BoundedStream(httpcore.NetworkStream):
    """A connection whose reads share one deadline: a receiver that sends a byte a second gains nothing."""

    def __init__(self, stream: httpcore.NetworkStream, *, ends_at: float) -> None:
        self._stream, self._ends_at = stream, ends_at

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - as above
        """Read what is there before the deadline."""
        return self._stream.read(max_bytes, _left(self._ends_at))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as above
        """Write before the deadline."""
        self._stream.write(buffer, _left(self._ends_at))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.NetworkStream:
        """Go on encrypted; the certificate is checked against the name, not against the address."""
        secured = self._stream.start_tls(ssl_context, server_hostname, _left(self._ends_at))
        return _BoundedStream(secured, ends_at=self._ends_at)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection knows of itself."""
        return self._stream.get_extra_info(info)


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("The call took too long.")
    return left


def _port(target: httpx.URL) -> int:
    return target.port or (443 if target.scheme == "https" else 80)


def _is_listed(host: str) -> bool:
    return host in settings.EGRESS_PRIVATE_HOSTS


def _refuse_special_host(host: str) -> None:
    """Refuse an address in place of a name, however it is spelled, unless it is public. Raises Refused.

    Whoever gives it learns at once what the connection would find out. Browsers' rules read the spelling:
    0x7f.1, 017700000001 and 127。1 are 127.0.0.1, and what ends in a number but is no address is no name.
    """
    try:
        read = can_ada.parse(f"http://[{host.split('%', 1)[0]}]/" if ":" in host else f"http://{host}/")
    except ValueError as refused:
        raise Refused("The address has no valid host.") from refused
    name = read.hostname.strip("[]").rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        raise Refused(f"{host} is this machine itself, RFC 6761.")
    try:
        use = special_addresses.special_use(name)
    except ValueError:
        return  # a name: what it leads to is checked whenever it is called
    if use is not None:
        raise Refused(f"{host} is not a public address ({use}).")


def _checked_address(host: str, port: int) -> str:
    """Resolve the host and return an address; refuse if any of its addresses is not public."""
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as failure:
        raise Failed("The host name has no address.") from failure
    addresses = [str(answer[4][0]) for answer in answers]
    if not _is_listed(host):
        for address in addresses:
            if (use := special_addresses.special_use(address)) is not None:
                raise Refused(f"{host} leads to {address}, which is not a public address ({use}).")
    return addresses[0]


def is_public(address: str) -> bool:
    """Tell whether an address belongs to the internet, also where IPv6 carries an IPv4 address."""
    return special_addresses.special_use(address) is None


def _retry_after(given: bytes) -> float:
    """Read Retry-After (RFC 9110 §10.2.3): seconds or a date; 0 for anything else."""
    text = given.decode("ascii", "replace").strip()
    if text.isdigit():
        return float(min(int(text[:9]), _MAX_RETRY_AFTER_SECONDS))
    try:
        wanted = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    wanted = wanted if wanted.tzinfo else wanted.replace(tzinfo=UTC)
    seconds = (wanted - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER_SECONDS)
