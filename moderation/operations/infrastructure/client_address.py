"""The client's address, by which rate limits and sign-in throttling count."""

import hashlib
import ipaddress

from django.conf import settings
from django.http import HttpRequest

_IPV6_SITE = 64
"""Prefix length of a network that one customer of a provider usually holds as a whole."""


def address(request: HttpRequest) -> str:
    """Return the client's address: the one that the outermost of our own proxies saw.

    The last SPAMDESK_PROXIES entries of X-Forwarded-For come from our proxies; those before can be forged.
    """
    direct = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.PROXIES:
        return direct
    hops = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    return hops[-settings.PROXIES] if len(hops) >= settings.PROXIES else direct


def network(address: str) -> str:
    """Return the network to count an address by: an IPv4 address itself, the first 64 bits of IPv6."""
    try:
        parsed = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return f"unknown-{hashlib.sha256(address.encode('utf-8', 'replace')).hexdigest()[:16]}"
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed) >> _IPV6_SITE << _IPV6_SITE, _IPV6_SITE)))
