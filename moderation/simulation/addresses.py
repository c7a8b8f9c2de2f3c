"""Addresses of the simulated world.

Only documentation ranges (RFC 5737, RFC 3849) and shared address space (RFC 6598).
"""

from __future__ import annotations

import ipaddress
import random

_DOCUMENTATION = tuple(
    ipaddress.IPv4Network(network) for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
)
_SHARED_SPACE = ipaddress.IPv4Network("100.64.0.0/10")
_IPV6 = ipaddress.IPv6Network("2001:db8::/32")

# Farms rent a few neighbouring networks; homes lie everywhere else.
_FARM_NETWORKS = 48


def home(rng: random.Random) -> str:
    """Return the address of one household."""
    if rng.random() < 0.25:
        return str(_IPV6[(rng.getrandbits(32) << 64) + rng.getrandbits(16)])
    return str(_SHARED_SPACE[rng.randrange(_FARM_NETWORKS * 256, _SHARED_SPACE.num_addresses)])


def exit_shared_by_many(rng: random.Random) -> str:
    """Return one of a few addresses that thousands share: carriers, campuses, offices, public proxies."""
    return str(_DOCUMENTATION[rng.randrange(2)][rng.randrange(1, 60)])


def farm(rng: random.Random, *, number: int) -> str:
    """Return an address of a bot farm; the farms of equal `number` lie in one network."""
    if number % 5 == 0:
        return str(_IPV6[((0xFA << 24) + number << 64) + rng.getrandbits(16)])
    if number % 5 == 1:
        return str(_DOCUMENTATION[2][rng.randrange(1, 255)])
    return str(_SHARED_SPACE[(number % _FARM_NETWORKS) * 256 + rng.randrange(1, 255)])
