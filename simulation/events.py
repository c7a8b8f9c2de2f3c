"""Events of the simulated world, in the format of the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from simulation.web.sites import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The true class of a simulated post; never part of the payload.

    `campaign` is the group of near-duplicates that the post belongs to, of spam or of honest people; `role`
    how the author behaves in this post, in spam the family of spammers. A post that `is_hard` cannot be
    judged by its words alone. `hides_in` names where spam with harmless words, of the family `words`, hides
    its message, `twin_in` the same place of an honest post. `families` are those of its pages and media,
    `tricks` how these avoid recognition.
    """

    is_spam: bool
    kind: str
    language: str
    campaign: str | None = None
    hostile: str | None = None
    role: str = ""
    is_hard: bool = False
    hides_in: str = ""
    words: str = ""
    twin_in: str = ""
    families: tuple[str, ...] = ()
    tricks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PostEvent:
    """A post at the instant `at`: the body of POST /api/v1/posts, the truth, and what its links lead to."""

    at: datetime
    payload: dict[str, Any]
    truth: Truth
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplaintEvent:
    """A complaint at the instant `at`; `payload` is the body of POST /api/v1/complaints."""

    at: datetime
    payload: dict[str, Any]


Event = PostEvent | ComplaintEvent
