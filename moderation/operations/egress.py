"""The one way out to addresses that others choose: checked at connect time, bounded in time and size.

Names are resolved here and the connection goes to the very address that was checked, so a second answer of
the name server (DNS rebinding) changes nothing. Private addresses are refused unless the operator lists the
host.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping

import httpx
from django.conf import settings

TIMEOUT_SECONDS = 10.0


class Refused(Exception):
    """The address must not be called; trying again would not help."""


class Failed(Exception):
    """The call did not get an answer; trying again may help."""


def post(*, url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Post to a URL and return the status; follows no redirect, reads no body. Raises Refused or Failed."""
    target = httpx.URL(url)
    if target.scheme not in {"http", "https"} or not target.host or target.userinfo:
        raise Refused("The address must be http or https, with a host and without credentials.")
    address = _checked_address(target)
    pinned = target.copy_with(host=address)
    host = target.host if target.port is None else f"{target.host}:{target.port}"
    try:
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client,
            client.stream(
                "POST",
                pinned,
                content=body,
                headers={**headers, "host": host},
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            return response.status_code
    except httpx.HTTPError as failure:
        raise Failed(type(failure).__name__) from failure


def _checked_address(target: httpx.URL) -> str:
    """Resolve the host and return an address; refuse if any of its addresses is not public."""
    port = target.port or (443 if target.scheme == "https" else 80)
    try:
        answers = socket.getaddrinfo(target.host, port, type=socket.SOCK_STREAM)
    except OSError as failure:
        raise Failed("The host name has no address.") from failure
    addresses = [str(answer[4][0]) for answer in answers]
    if target.host not in settings.EGRESS_PRIVATE_HOSTS:
        for address in addresses:
            if not _is_public(address):
                raise Refused(f"{target.host} leads to {address}, which is not a public address.")
    return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.split("%", 1)[0])
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_global and not parsed.is_multicast
