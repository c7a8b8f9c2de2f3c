"""What rules can name in a text: phrases, phone numbers, wallets, handles, and look-alikes of a host.

A rule keeps its `value` in canonical form and an `anchor`, by which it is looked up: no rule is tried on a
post that lacks its anchor. Time is linear in the text, of which only the beginning counts.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scoring.identifiers import handles, hosts, phones, phrases, wallets

READ_CHARACTERS = 10_000
"""Characters of a text that are read, and as many of its links."""


class Kind(StrEnum):
    """The kinds, by the names that rules have for them."""

    TEXT = "text"
    PHONE = "phone"
    WALLET = "wallet"
    HANDLE = "handle"
    LOOKALIKE = "lookalike"


@dataclass(frozen=True, slots=True)
class _Reader:
    found: Callable[[Any], Any]
    anchor: Callable[[str], str]
    anchors: Callable[[Any], set[str]]
    holds: Callable[[Any, str], bool]


_READERS: Mapping[str, _Reader] = {
    Kind.TEXT: _Reader(phrases.found, phrases.anchor, phrases.anchors, phrases.holds),
    Kind.PHONE: _Reader(phones.found, phones.anchor, phones.anchors, phones.holds),
    Kind.WALLET: _Reader(wallets.found, wallets.anchor, wallets.anchors, wallets.holds),
    Kind.HANDLE: _Reader(handles.found, handles.anchor, handles.anchors, handles.holds),
    Kind.LOOKALIKE: _Reader(hosts.found, hosts.anchor, hosts.anchors, hosts.holds),
}
_CANONICAL = {
    Kind.TEXT: phrases.canonical,
    Kind.PHONE: phones.canonical,
    Kind.WALLET: wallets.canonical,
    Kind.HANDLE: handles.canonical,
}


@dataclass(frozen=True, slots=True)
class Found:
    """Possible identifiers in one post, by kind."""

    by_kind: Mapping[str, Any]

    def anchors(self) -> dict[str, set[str]]:
        """Return the anchors of rules that may match, by kind."""
        return {kind: _READERS[kind].anchors(values) for kind, values in self.by_kind.items()}

    def holds(self, kind: str, value: str) -> bool:
        """Tell whether a rule of this kind and value matches; never of a kind that was not read."""
        return kind in self.by_kind and _READERS[kind].holds(self.by_kind[kind], value)


def canonical(kind: str, text: str) -> str:
    """Return the canonical value of typed text; "" if it is none. Hosts come as domains already."""
    if kind == Kind.LOOKALIKE:
        return text
    is_read_as_typed = kind == Kind.TEXT
    return _CANONICAL[Kind(kind)](text if is_read_as_typed else _visible(text))


def anchor(kind: str, value: str) -> str:
    """Return the key by which a rule is looked up."""
    return _READERS[kind].anchor(value)


def read(text: str, *, urls: Iterable[str], domains: Collection[str], kinds: Collection[str]) -> Found:
    """Read the identifiers of some kinds from a post's text and links."""
    links = "\n".join(urls)[:READ_CHARACTERS]
    body = _visible(f"{text[:READ_CHARACTERS]}\n{links}") if set(kinds) - {Kind.TEXT, Kind.LOOKALIKE} else ""
    of_kind = {Kind.TEXT: text[:READ_CHARACTERS], Kind.LOOKALIKE: frozenset(domains)}
    return Found({kind: _READERS[kind].found(of_kind.get(Kind(kind), body)) for kind in kinds})


def _visible(text: str) -> str:
    """Return a text in compatibility form, without what cannot be seen."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in composed if unicodedata.category(letter) not in ("Cf", "Mn", "Me"))
