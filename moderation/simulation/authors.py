"""Authors of the simulated world: who they are, what the platform knows of them, from where they post."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from moderation.simulation import addresses, material


class Role(StrEnum):
    """How an author behaves."""

    ORDINARY = "ordinary"
    NEWCOMER = "newcomer"
    POWER_USER = "power_user"
    FRESH_BULK = "fresh_bulk"
    HIJACKED = "hijacked"
    PATIENT = "patient"
    PROMOTER = "promoter"


@dataclass(slots=True, kw_only=True)
class Author:
    """An author; the world counts their posts and turns accounts that are hijacked."""

    external_id: str
    role: Role
    language: str
    display_name: str
    created_at: datetime
    email_domain: str
    friends: int
    followers: int
    is_verified: bool
    posts: int
    addresses: tuple[str, ...]
    user_agent: str
    is_described: bool

    def described(self) -> dict[str, Any]:
        """Return the author as the platform describes them; some platforms say little."""
        if not self.is_described:
            return {"external_id": self.external_id, "display_name": self.display_name}
        return {
            "external_id": self.external_id,
            "display_name": self.display_name,
            "created_at": self.created_at.isoformat(),
            "email_domain": self.email_domain,
            "friends": self.friends,
            "followers": self.followers,
            "is_verified": self.is_verified,
            "posts": self.posts,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Habit:
    """Typical numbers of a role: medians of log-normal draws, and shares."""

    age_days: float
    friends: float
    followers: float
    posts: float
    verified: float = 0.0
    throwaway_mail: float = 0.02


_HABITS = {
    Role.ORDINARY: _Habit(age_days=900, friends=110, followers=90, posts=220, verified=0.04),
    Role.NEWCOMER: _Habit(age_days=4, friends=6, followers=3, posts=3, throwaway_mail=0.08),
    Role.POWER_USER: _Habit(age_days=1500, friends=420, followers=2600, posts=4000, verified=0.3),
    Role.FRESH_BULK: _Habit(age_days=5, friends=9, followers=2, posts=8, throwaway_mail=0.45),
    Role.HIJACKED: _Habit(age_days=1100, friends=130, followers=100, posts=260, verified=0.03),
    Role.PATIENT: _Habit(age_days=210, friends=160, followers=40, posts=60, throwaway_mail=0.12),
    Role.PROMOTER: _Habit(age_days=420, friends=600, followers=350, posts=700, verified=0.06),
}
_UNDESCRIBED_SHARE = 0.12
_OLDEST_DAYS = 6000


def create(
    *, external_id: str, role: Role, language: str, at: datetime, farm: int, rng: random.Random
) -> Author:
    """Return a new author as known at `at`; bulk accounts of one `farm` share a network."""
    habit = _HABITS[role]
    people = material.table("people")
    domains = "throwaway_mail_domains" if rng.random() < habit.throwaway_mail else "mail_domains"
    agents = "bot_agents" if role == Role.FRESH_BULK else "user_agents"
    return Author(
        external_id=external_id,
        role=role,
        language=language,
        display_name=_name(role, language=language, rng=rng),
        created_at=at - timedelta(days=min(_around(habit.age_days, rng=rng), _OLDEST_DAYS)),
        email_domain=rng.choice(people[domains]),
        friends=int(_around(habit.friends, rng=rng)),
        followers=int(_around(habit.followers, rng=rng)),
        is_verified=rng.random() < habit.verified,
        posts=int(_around(habit.posts, rng=rng)),
        addresses=_addresses(role, farm=farm, rng=rng),
        user_agent=rng.choice(people[agents]),
        is_described=rng.random() >= _UNDESCRIBED_SHARE,
    )


def hijack(author: Author, *, farm: int, rng: random.Random) -> None:
    """Hand a good old account to spammers; most log in from elsewhere, some from the owner's own machine."""
    author.role = Role.HIJACKED
    if rng.random() < 0.7:
        author.addresses = (addresses.farm(rng, number=farm), addresses.exit_shared_by_many(rng))
        author.user_agent = rng.choice(material.table("people")["bot_agents"])


def _around(median: float, *, rng: random.Random) -> float:
    return median * math.exp(rng.gauss(0, 1.1))


def _name(role: Role, *, language: str, rng: random.Random) -> str:
    kinds = material.wordings().get(language) or material.wordings()["en"]
    first: str = rng.choice(next(iter(kinds.values())).slots["first_name"])
    if role in (Role.FRESH_BULK, Role.PROMOTER) and rng.random() < 0.6:
        ending: str = rng.choice(material.table("people")["spam_name_endings"])
        return first + ending.replace("{n}", str(rng.randint(1, 999)))
    return rng.choice([first, f"{first}{rng.randint(1, 99)}", f"{first} {rng.choice('ABCDEGHKLMNPRSTW')}."])


def _addresses(role: Role, *, farm: int, rng: random.Random) -> tuple[str, ...]:
    if role == Role.FRESH_BULK and rng.random() < 0.75:
        return tuple(addresses.farm(rng, number=farm) for _ in range(rng.randint(1, 3)))
    if rng.random() < 0.4:
        return (addresses.home(rng), addresses.exit_shared_by_many(rng))
    return (addresses.home(rng),)
