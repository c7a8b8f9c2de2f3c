"""Rules about links, senders, what texts name and pictures: what is banned, held for a human, or allowed."""

import ipaddress
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring import identifiers
from scoring.links import registrable_domain
from scoring.records import PostRecord


class Effect(StrEnum):
    """The effect of a rule on matching posts, the strictest first.

    A ban removes them without running a model. A hold lets none pass without a human, for kinds of spam that
    the models do not know yet. An allowance lets them pass whatever the models' output.
    """

    BAN = "ban"
    HOLD = "hold"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in force. `value` is a registrable domain, a host (those below it included), an address, a
    network, an author as `author_name` writes it, what a text names, or pictures.

    `kind` is domain, host, address or author, the first two about links, the last two about the sender, a
    kind of `identifiers`, about the text and its links, or picture or pictures.
    """

    id: int
    value: str
    kind: str = "domain"
    effect: Effect = Effect.BAN


@dataclass(frozen=True, slots=True)
class Blocklist:
    """The rules in force at the instant of scoring: links and authors by name, addresses in a row.

    `texts` are those of `identifiers` whose anchors some of the posts have, `pictures` the strictest about
    each picture of the posts, by its hash.
    """

    names: Mapping[str, Rule] = field(default_factory=dict)
    addresses: tuple[Rule, ...] = ()
    authors: Mapping[str, Rule] = field(default_factory=dict)
    texts: tuple[Rule, ...] = ()
    pictures: Mapping[str, Rule] = field(default_factory=dict)

    def match(self, record: PostRecord) -> Rule | None:
        """Return the rule that decides on a record, None if none does.

        For each link, and for the sender, the narrowest rule applies; of those and the rules about text and
        pictures the strictest decides, links first, then the sender. Links allow a post only if every one of
        them is allowed: otherwise an allowed link could smuggle in any other. What a link leads to counts as
        a link.
        """
        links = [self._of_link(host, domain=domain) for host, domain in hosts_of(record)]
        sender = self._sender(record)
        shown = [self.pictures.get(piece.picture.pdq) for piece in record.evidence if piece.picture]
        spoken = [rule for rule in (*links, sender, *self._of_text(record), *shown) if rule is not None]
        for effect in (Effect.BAN, Effect.HOLD):
            strict = next((rule for rule in spoken if rule.effect is effect), None)
            if strict is not None:
                return strict
        if sender is not None:
            return sender
        return links[0] if links and None not in links else None

    def _of_link(self, host: str, *, domain: str) -> Rule | None:
        return next((self.names[name] for name in names_of(host, domain=domain) if name in self.names), None)

    def _of_text(self, record: PostRecord) -> list[Rule]:
        if not self.texts:
            return []
        text_identifiers = identities(record, kinds={rule.kind for rule in self.texts})
        return [rule for rule in self.texts if text_identifiers.holds(rule.kind, rule.value)]

    def _sender(self, record: PostRecord) -> Rule | None:
        author = self.authors.get(author_name(record.platform, record.author.external_id))
        if author is not None or record.ip is None or not self.addresses:
            return author
        address = ipaddress.ip_address(record.ip)
        networks = ((ipaddress.ip_network(rule.value), rule) for rule in self.addresses)
        reaching = [(network.prefixlen, rule) for network, rule in networks if address in network]
        return max(reaching, key=lambda pair: pair[0])[1] if reaching else None


def identities(record: PostRecord, *, kinds: Collection[str]) -> identifiers.Found:
    """Read the identifiers of some kinds from a record's text and links."""
    return identifiers.read(
        record.text,
        urls=[link.url for link in record.links],
        domains={domain for _, domain in hosts_of(record)},
        kinds=kinds,
    )


def hosts_of(record: PostRecord) -> Iterator[tuple[str, str]]:
    """Yield the host and the registrable domain of each link of a record, then of what each leads to."""
    yield from ((link.host, link.domain) for link in record.links)
    yield from ((hop, registrable_domain(hop)) for link in record.links for hop in link.hops)


def names_of(host: str, *, domain: str) -> Iterator[str]:
    """Yield every name whose rule matches a host, the narrowest first: a.evil.example, evil.example.

    `domain` is the registrable one, empty for an address used as a host, which is its own only name.
    """
    last = domain or host
    name = host
    while name != last and name.endswith(f".{last}"):
        yield name
        name = name.partition(".")[2]
    yield last


def author_name(platform: str, external_id: str) -> str:
    """Return the author's name in rules: with the platform, since two platforms may use the same id."""
    return f"{platform}/{external_id}"
