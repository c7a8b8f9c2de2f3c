"""A site that a link leads to: its redirects, its page and its tricks, all decided when it is planned."""

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from moderation.evidence.addresses import absolute


class Behaviour(StrEnum):
    """What a site does with its visitors."""

    PLAIN = "plain"
    PREVIEW = "preview"
    """Its preview (OpenGraph) tells of another, harmless page."""
    CLOAKED = "cloaked"
    """Whoever names himself a program sees a harmless page."""
    TURNS = "turns"
    """A harmless page at first, another some hours after the post."""
    GONE = "gone"
    """Answers that there is no such page."""
    DEAD = "dead"
    """Does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a link leads.

    `urls` are the link itself and each address that it redirects to; the last one has the page. `family`
    words the page, `face` the harmless one that some are shown first. `kind` is the kind of post that leads
    here, for pages in other languages; `look` seeds every choice of the page. `preview` names its picture.
    """

    urls: tuple[str, ...]
    family: str
    kind: str
    language: str
    look: str
    behaviour: Behaviour = Behaviour.PLAIN
    face: str = ""
    turns_at: datetime | None = None
    preview: str = ""
    refreshes: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the site as plain JSON values."""
        plain = dataclasses.asdict(self)
        return plain | {"turns_at": self.turns_at.isoformat() if self.turns_at else None}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Self:
        """Read a site back."""
        turns_at = plain["turns_at"]
        return cls(
            **plain
            | {
                "urls": tuple(plain["urls"]),
                "behaviour": Behaviour(plain["behaviour"]),
                "turns_at": datetime.fromisoformat(turns_at) if turns_at else None,
            }
        )


def key(url: str) -> str:
    """Return by what an address is found, whatever its scheme, port, fragment and spelling."""
    whole = absolute(url, url="")
    scheme, _, rest = whole.partition("://")
    host, slash, path = rest.partition("#")[0].partition("/")
    return f"{host.partition(':')[0]}{slash}{path}" if scheme else ""
