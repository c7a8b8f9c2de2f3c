"""Addresses of the simulated world.

Only documentation ranges (RFC 5737, RFC 3849) and shared address space (RFC 6598).
"""

import ipaddress
import random

_DOCUMENTATION = tuple(
    ipaddress.IPv4Network(network) for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
)
_SHARED_SPACE = ipaddress.IPv4Network("100.64.0.0/10")
_IPV6 = ipaddress.IPv6Network("2001:db8::/32")

# Farms rent a few neighbouring networks; homes lie everywhere else.
_FARM_NETWORKS = 48

_FARM_PREFIX = 0xFA << 24
_FIRST_ASN, _HOSTING_ASN = 64_496, 64_504


def asn_of(address: str) -> int:
    """Return the autonomous system of a simulated address, a number for documentation (RFC 5398).

    Hosting companies rent to farms and to honest people, telephone companies to everybody else.
    """
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return _HOSTING_ASN if _is_in_farm(parsed) else _FIRST_ASN + (int(parsed) >> 64) % 8
    if parsed in _DOCUMENTATION[2]:
        return _HOSTING_ASN
    network = (int(parsed) - int(_SHARED_SPACE.network_address)) // 256
    return _HOSTING_ASN + 1 + network % 3 if 0 <= network < _FARM_NETWORKS else _FIRST_ASN + network % 8


def _is_in_farm(address: ipaddress.IPv6Address) -> bool:
    return _FARM_PREFIX <= (int(address) - int(_IPV6.network_address)) >> 64 < _FARM_PREFIX + _FARM_NETWORKS


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
        return str(_IPV6[(_FARM_PREFIX + number << 64) + rng.getrandbits(16)])
    if number % 5 == 1:
        return str(_DOCUMENTATION[2][rng.randrange(1, 255)])
    return str(_SHARED_SPACE[(number % _FARM_NETWORKS) * 256 + rng.randrange(1, 255)])
