"""The rules that people made about links and senders: what is banned, held for a human, or let pass."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.records import PostRecord


class Effect(StrEnum):
    """What a rule does to the posts that it reaches, the strictest first.

    A ban removes them and no model is asked. A wave lets none pass without a human, while spam comes in waves
    that the models do not know yet. An allowance lets them pass, whatever the models say.
    """

    BAN = "ban"
    WAVE = "wave"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in force. `value` is a registrable domain, a host (those below it included), an address, a
    network, or an author as `author_name` writes it.

    `kind` is domain, host, address or author; the first two are about links, the last two about who sent.
    """

    id: int
    value: str
    kind: str = "domain"
    effect: Effect = Effect.BAN


@dataclass(frozen=True, slots=True)
class Blocklist:
    """The rules in force at the instant of scoring: links and authors by name, addresses in a row."""

    names: Mapping[str, Rule] = field(default_factory=dict)
    addresses: tuple[Rule, ...] = ()
    authors: Mapping[str, Rule] = field(default_factory=dict)

    def match(self, record: PostRecord) -> Rule | None:
        """Return the rule that decides on a record, None if none does.

        On each link, and on the sender, the narrowest rule speaks; of those that speak the strictest decides,
        links before the sender. Links let a post pass only if every one of them is allowed: else an allowed
        link would carry any other along.
        """
        links = [self._of_link(link.host, domain=link.domain) for link in record.links]
        sender = self._sender(record)
        spoken = [rule for rule in (*links, sender) if rule is not None]
        for effect in (Effect.BAN, Effect.WAVE):
            strict = next((rule for rule in spoken if rule.effect is effect), None)
            if strict is not None:
                return strict
        if sender is not None:
            return sender
        return links[0] if links and None not in links else None

    def _of_link(self, host: str, *, domain: str) -> Rule | None:
        return next((self.names[name] for name in names_of(host, domain=domain) if name in self.names), None)

    def _sender(self, record: PostRecord) -> Rule | None:
        author = self.authors.get(author_name(record.platform, record.author.external_id))
        if author is not None or record.ip is None or not self.addresses:
            return author
        address = ipaddress.ip_address(record.ip)
        networks = ((ipaddress.ip_network(rule.value), rule) for rule in self.addresses)
        reaching = [(network.prefixlen, rule) for network, rule in networks if address in network]
        return max(reaching, key=lambda found: found[0])[1] if reaching else None


def names_of(host: str, *, domain: str) -> Iterator[str]:
    """Yield every name whose rule reaches a host, the narrowest first: a.evil.example, evil.example.

    `domain` is the registrable one, empty for an address used as a host, which is its own only name.
    """
    last = domain or host
    name = host
    while name != last and name.endswith(f".{last}"):
        yield name
        name = name.partition(".")[2]
    yield last


def author_name(platform: str, external_id: str) -> str:
    """Return how rules name an author: two platforms may use the same id for different people."""
    return f"{platform}/{external_id}"
