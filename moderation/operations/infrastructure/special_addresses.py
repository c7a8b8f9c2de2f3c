"""Addresses that are not the public internet: the registries for special purposes, kept here line by line.

Python's own lists differ between versions (CVE-2024-4032), and a security decision must not. The list is
stricter than "globally reachable" in the registries: an anycast service or a transition mechanism is no
receiver of calls. https://www.iana.org/assignments/iana-ipv4-special-registry
https://www.iana.org/assignments/iana-ipv6-special-registry (both read for this list in November 2026).
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_IPV4 = tuple(
    (IPv4Network(network), said)
    for network, said in (
        ("0.0.0.0/8", "this network, RFC 791"),
        ("10.0.0.0/8", "private use, RFC 1918"),
        ("100.64.0.0/10", "shared address space of carriers, RFC 6598"),
        ("127.0.0.0/8", "loopback, RFC 1122"),
        # Not in the registry: Azure's platform answers there to every virtual machine.
        # https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
        ("168.63.129.16/32", "Azure's platform services"),
        ("169.254.0.0/16", "link-local, RFC 3927"),
        ("172.16.0.0/12", "private use, RFC 1918"),
        ("192.0.0.0/24", "IETF protocol assignments, RFC 6890"),  # 192.0.0.192: metadata of Oracle Cloud
        ("192.0.2.0/24", "documentation, RFC 5737"),
        ("192.31.196.0/24", "AS112, RFC 7535"),
        ("192.52.193.0/24", "multicast tunnels, RFC 7450"),
        ("192.88.99.0/24", "6to4 relays, RFC 7526"),
        ("192.168.0.0/16", "private use, RFC 1918"),
        ("192.175.48.0/24", "AS112, RFC 7534"),
        ("198.18.0.0/15", "benchmarking, RFC 2544"),
        ("198.51.100.0/24", "documentation, RFC 5737"),
        ("203.0.113.0/24", "documentation, RFC 5737"),
        ("224.0.0.0/4", "multicast, RFC 5771"),
        ("255.255.255.255/32", "broadcast, RFC 919"),
        ("240.0.0.0/4", "reserved, RFC 1112"),
    )
)
_IPV6 = tuple(
    (IPv6Network(network), said)
    for network, said in (
        ("::/128", "unspecified, RFC 4291"),
        ("::1/128", "loopback, RFC 4291"),
        ("::/96", "IPv4-compatible, RFC 4291"),
        ("::ffff:0:0:0/96", "IPv4-translated, RFC 2765"),
        ("64:ff9b:1::/48", "local translation, RFC 8215"),
        ("100::/64", "discard, RFC 6666"),
        ("100:0:0:1::/64", "dummy prefix, RFC 9780"),
        # Of 2001::/23 some blocks are reachable (anycast, AS112, ORCHIDv2, DRIP): none of them is a receiver.
        ("2001::/32", "Teredo, RFC 4380"),
        ("2001:2::/48", "benchmarking, RFC 5180"),
        ("2001:10::/28", "ORCHID, RFC 4843"),
        ("2001:20::/28", "ORCHIDv2, RFC 7343"),
        ("2001::/23", "IETF protocol assignments, RFC 2928"),
        ("2001:db8::/32", "documentation, RFC 3849"),
        ("2002::/16", "6to4, RFC 7526"),
        ("2620:4f:8000::/48", "AS112, RFC 7534"),
        ("3ffe::/16", "6bone, RFC 3701"),
        ("3fff::/20", "documentation, RFC 9637"),
        ("5f00::/16", "segment routing, RFC 9602"),
        ("fc00::/7", "unique local, RFC 4193"),
        ("fe80::/10", "link-local, RFC 4291"),
        ("fec0::/10", "site-local, RFC 3879"),
        ("ff00::/8", "multicast, RFC 4291"),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_CARRY_IPV4 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""Mapped (RFC 4291) and translated by NAT64 (RFC 6052): as public as the IPv4 address in the last 32 bits."""
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})


def special_use(address: str) -> str | None:
    """Return the special use of an address, None for a public one.

    A zone (`%eth0`) is ignored. Raises ValueError if it is no address.
    """
    parsed = ip_address(address.split("%", 1)[0])
    if isinstance(parsed, IPv4Address):
        return next((use for network, use in _IPV4 if parsed in network), None)
    return _special_use_of_ipv6(parsed)


def _special_use_of_ipv6(address: IPv6Address) -> str | None:
    if any(address in network for network in _CARRY_IPV4):
        inside = special_use(str(IPv4Address(int(address) & 0xFFFF_FFFF)))
        return f"carries an IPv4 address: {inside}" if inside else None
    for network, use in _IPV6:
        if address in network:
            return use
    if address not in _GLOBAL_UNICAST:
        return "not global unicast, RFC 4291"
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        return "ISATAP, RFC 5214"
    return None
