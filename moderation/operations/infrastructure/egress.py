"""Guarded HTTP calls to addresses that others choose: checked at connect time, bounded in time and size.

Names are resolved here and the connection goes to the very address that was checked, so a second answer of
the name server (DNS rebinding) changes nothing. Private addresses and unusual ports are refused unless the
operator lists the host. In a demonstration, settings.PAGE_NETWORK leads pages that simulated posts name to
this machine.
"""

import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Self

import can_ada
import httpcore
import httpx
from django.conf import settings
from django.utils.module_loading import import_string

from moderation.operations.infrastructure import special_addresses
from moderation.operations.infrastructure.egress_deadline import BoundedStream, call, looked_up, seconds_left

TIMEOUT_SECONDS = 10.0
PORTS = frozenset({80, 443, 8080, 8443})
_KEPT_SECONDS = 5.0
"""An idle connection is closed after this time; servers usually keep theirs for as long or longer."""
_DRAINED_BYTES, _DRAIN_SECONDS = 16_384, 1.0
_MOST_RETRY_SECONDS = 86_400
_NETWORK_TROUBLE = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
_PHASES = ("connect", "read", "write", "pool")
_SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Refused(Exception):
    """The address must not be called; a retry would not help."""


class Failed(Exception):
    """The call got no answer; a retry may help."""


class TimedOut(Failed):
    """The answer did not come, or did not end, in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer. `retry_after_seconds` is 0 if the receiver did not ask to wait."""

    status: int
    body: bytes = b""
    location: str = ""
    retry_after_seconds: float = 0.0


def check(url: str) -> httpx.URL:
    """Parse the URL and check everything that needs no name resolution. Raises Refused."""
    try:
        target = httpx.URL(url)
    except httpx.InvalidURL as refused:
        raise Refused("The address is not a URL.") from refused
    if target.scheme not in {"http", "https"} or not target.host or target.userinfo:
        raise Refused("The address must be http or https, with a host and without credentials.")
    if _is_listed(target.host):
        return target
    _refuse_special_host(target.host)
    if _port(target) not in PORTS:
        raise Refused(f"Port {_port(target)} is not one of {', '.join(map(str, sorted(PORTS)))}.")
    return target


class Client:
    """Calls one endpoint over connections that stay open between its calls; use it as a context.

    Safe to use from several threads: each call has a deadline of its own. The address that a name resolves to
    is checked whenever a connection is made.
    """

    def __init__(self, url: str, *, is_page: bool = False) -> None:
        """Raise Refused if the URL fails `check`. `is_page` says that a post names it."""
        self._target = check(url)
        self._host = _host_header(self._target)
        network = _CheckedNetwork()
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls() if self._target.scheme == "https" else None,
            network_backend=_of_pages(network) if is_page else network,
            keepalive_expiry=_KEPT_SECONDS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def post(
        self,
        *,
        body: bytes,
        headers: Mapping[str, str],
        timeout_seconds: float | None = None,
        most_bytes: int = 0,
    ) -> Answered:
        """Post to the URL, within TIMEOUT_SECONDS unless told otherwise; follows no redirect.

        The answer's body comes back only if `most_bytes` allows any. Raises Refused or Failed.
        """
        all_headers = {**headers, "accept-encoding": "identity"} if most_bytes else headers
        seconds = TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
        with self.opened(method="POST", headers=all_headers, body=body, timeout_seconds=seconds) as response:
            return _answered(response, most_bytes=most_bytes)

    @contextmanager
    def opened(
        self,
        *,
        headers: Mapping[str, str],
        timeout_seconds: float,
        method: str = "GET",
        body: bytes | None = None,
    ) -> Iterator[httpcore.Response]:
        """Open an answer, whose body is read before the same deadline. Follows no redirect.

        Raises Refused, TimedOut or Failed, also out of the block.
        """
        call.ends_at = time.monotonic() + timeout_seconds
        try:
            with self._pool.stream(
                method,
                str(self._target),
                headers=[*headers.items(), ("host", self._host)],
                content=body,
                extensions={"timeout": dict.fromkeys(_PHASES, timeout_seconds)},
            ) as response:
                yield response
        except httpcore.TimeoutException as failure:
            raise TimedOut(type(failure).__name__) from failure
        except (*_NETWORK_TROUBLE, ssl.SSLError) as failure:
            raise Failed(type(failure).__name__) from failure


def request(
    method: str,
    *,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
    timeout_seconds: float | None = None,
    most_bytes: int = 0,
) -> Answered:
    """Call a URL once, as Client.post does; the answer comes as it was sent. Raises Refused or Failed."""
    sent = {**headers, "accept-encoding": "identity"}
    seconds = TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
    with Client(url) as client:
        opened = client.opened(method=method, headers=sent, body=body, timeout_seconds=seconds)
        with opened as response:
            return _answered(response, most_bytes=most_bytes)


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Return the TLS context of this process: creating it reads every root certificate, some 80 ms."""
    return ssl.create_default_context()


def _answered(response: httpcore.Response, *, most_bytes: int) -> Answered:
    body = _bounded(response, most_bytes) if most_bytes else _drained(response)
    fields = {name.lower(): value for name, value in response.headers}
    return Answered(
        status=response.status,
        body=body,
        location=fields.get(b"location", b"").decode("latin-1"),
        retry_after_seconds=_retry_after_seconds(fields.get(b"retry-after", b"")),
    )


def _drained(response: httpcore.Response) -> bytes:
    """Read a short body to the end, so that the connection can be reused; with a long one it is closed."""
    call.ends_at = min(call.ends_at, time.monotonic() + _DRAIN_SECONDS)
    room = _DRAINED_BYTES
    with suppress(*_NETWORK_TROUBLE):  # the status is here: what follows it changes nothing
        for piece in response.iter_stream():
            room -= len(piece)
            if room < 0:
                break
    return b""


def _bounded(response: httpcore.Response, most_bytes: int) -> bytes:
    body = b""
    for piece in response.iter_stream():
        body += piece
        if len(body) > most_bytes:
            raise Failed(f"The answer has more than {most_bytes} bytes.")
    return body


def _retry_after_seconds(given: bytes) -> float:
    """Read Retry-After (RFC 9110 §10.2.3), seconds or a date; 0 for anything else."""
    text = given.decode("ascii", "replace").strip()
    if text.isdigit():
        return float(min(int(text[:9]), _MOST_RETRY_SECONDS))
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    rest = (date - datetime.now(UTC)).total_seconds()
    return min(max(rest, 0.0), _MOST_RETRY_SECONDS)


def _of_pages(network: httpcore.NetworkBackend) -> httpcore.NetworkBackend:
    """Return the network for connections to pages, which a demonstration wraps."""
    return import_string(settings.PAGE_NETWORK)(network) if settings.PAGE_NETWORK else network


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects only to checked addresses, and never after the call's deadline."""

    def __init__(self) -> None:
        self._network = httpcore.SyncBackend()

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
        stream = self._network.connect_tcp(address, port, seconds_left(), local_address, socket_options)
        return BoundedStream(stream)


def _host_header(target: httpx.URL) -> str:
    host = target.raw_host.decode()  # `host` has other alphabets decoded, which no header may hold
    return host if target.port is None else f"{host}:{target.port}"


def _port(target: httpx.URL) -> int:
    return target.port or (443 if target.scheme == "https" else 80)


def _is_listed(host: str) -> bool:
    return host in settings.EGRESS_PRIVATE_HOSTS


def _refuse_special_host(host: str) -> None:
    """Refuse a literal address, however it is spelled, unless it is public. Raises Refused.

    So a platform learns at registration what the connection would find out. The spelling is read by the URL
    standard of browsers: 0x7f.1, 017700000001 and 127。1 are 127.0.0.1, and a host that ends in a number but
    is no valid address is invalid.
    """
    try:
        parsed = can_ada.parse(f"http://[{host.split('%', 1)[0]}]/" if ":" in host else f"http://{host}/")
    except ValueError as refused:
        raise Refused("The address has no valid host.") from refused
    name = parsed.hostname.strip("[]").rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        raise Refused(f"{host} is this machine itself, RFC 6761.")
    try:
        use = special_addresses.special_use(name)
    except ValueError:
        return  # a name: its address is checked at each call
    if use is not None:
        raise Refused(f"{host} is not a public address ({use}).")


def _checked_address(host: str, port: int) -> str:
    """Resolve the host once, against DNS rebinding; refuse if any of its addresses is not public."""
    try:
        answers = looked_up(host, port)
    except (OSError, UnicodeError) as failure:
        raise Failed("The host name has no address.") from failure
    addresses = [str(answer[4][0]) for answer in answers]
    if not _is_listed(host):
        for address in addresses:
            if (use := special_addresses.special_use(address)) is not None:
                raise Refused(f"{host} leads to {address}, which is not a public address ({use}).")
    return addresses[0]
