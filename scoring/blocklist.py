"""The short-circuit: a post that links to a banned domain is spam and nothing else runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scoring.records import PostRecord


@dataclass(frozen=True, slots=True)
class Ban:
    """A live ban; `domain` is a registrable domain, or an IP address for links that have none."""

    id: int
    domain: str


@dataclass(frozen=True, slots=True)
class Blocklist:
    """The bans in force at the instant of scoring, by domain."""

    bans: Mapping[str, Ban] = field(default_factory=dict)

    def match(self, record: PostRecord) -> Ban | None:
        """Return the ban that the record's first banned link falls under, None if no link is banned."""
        for link in record.links:
            ban = self.bans.get(link.domain or link.host)
            if ban is not None:
                return ban
        return None
