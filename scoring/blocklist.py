"""The short-circuit: a post that links to a banned name or comes from a banned address is spam, unasked."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scoring.records import PostRecord


@dataclass(frozen=True, slots=True)
class Ban:
    """A live ban. `value` is a registrable domain, a host (those below it included), an address or a network.

    `kind` is domain, host or address; the first two are about links, the last about who sent the post.
    """

    id: int
    value: str
    kind: str = "domain"


@dataclass(frozen=True, slots=True)
class Blocklist:
    """The bans in force at the instant of scoring: those of links by name, those of senders in a row."""

    bans: Mapping[str, Ban] = field(default_factory=dict)
    addresses: tuple[Ban, ...] = ()

    def match(self, record: PostRecord) -> Ban | None:
        """Return the ban of the record's first banned link, else that of its address, else None."""
        for link in record.links:
            for name in names_of(link.host, domain=link.domain):
                if name in self.bans:
                    return self.bans[name]
        return self._sender(record)

    def _sender(self, record: PostRecord) -> Ban | None:
        if record.ip is None or not self.addresses:
            return None
        address = ipaddress.ip_address(record.ip)
        return next((ban for ban in self.addresses if address in ipaddress.ip_network(ban.value)), None)


def names_of(host: str, *, domain: str) -> Iterator[str]:
    """Yield every name whose ban reaches a host, the narrowest first: a.evil.example, evil.example.

    `domain` is the registrable one, empty for an address used as a host, which is its own only name.
    """
    last = domain or host
    name = host
    while name != last and name.endswith(f".{last}"):
        yield name
        name = name.partition(".")[2]
    yield last
