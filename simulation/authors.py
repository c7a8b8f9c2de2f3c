"""Authors of the simulated world: roles, account facts, addresses."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from simulation import account_facts, addresses, material
from simulation.platforms import Network


class Role(StrEnum):
    """How an author behaves; the last six are the families of spammers."""

    ORDINARY = "ordinary"
    NEWCOMER = "newcomer"
    POWER_USER = "power_user"
    FEED = "feed"
    HIJACKED = "hijacked"
    AGED_BOUGHT = "aged_bought"
    REPURPOSED = "repurposed"
    FRESH = "fresh"
    BOOSTER = "booster"
    PROMOTER = "promoter"


MADE_IN_BATCHES = frozenset({Role.AGED_BOUGHT, Role.FRESH, Role.BOOSTER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """Client and addresses of a hijacker; None means the owner's own."""

    addresses: tuple[str, ...] | None
    user_agent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What accounts made by one script have in common.

    `age_place` is where their age stands among the role's, as a draw from the standard normal distribution.
    """

    created_at: datetime
    age_place: float
    mail_domain: str
    name_ending: str
    farm: int
    user_agent: str


@dataclass(slots=True, kw_only=True)
class Author:
    """An author; the world counts their posts and notes who took the account over."""

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
    utc_offset_hours: int
    is_described: bool
    takeover: Takeover | None = None

    def described(self, *, facts: Collection[str]) -> dict[str, Any]:
        """Return the author as described by a platform that sends these `facts`; some send nothing."""
        fields: dict[str, Any] = {"external_id": self.external_id, "display_name": self.display_name}
        if not self.is_described:
            return fields
        facts_of_author = {
            "created_at": self.created_at.isoformat(),
            "email_domain": self.email_domain,
            "friends": self.friends,
            "followers": self.followers,
            "is_verified": self.is_verified,
            "posts": self.posts,
        }
        return fields | {name: value for name, value in facts_of_author.items() if name in facts}

    def is_asleep(self, at: datetime) -> bool:
        """Tell whether it is between one and seven where the author lives."""
        return 1 <= (at.hour + self.utc_offset_hours) % 24 < 7


_UNDESCRIBED_SHARE = 0.12
_OLDEST_DAYS = 6000
_BATCH_DAYS = 6.0
_UTC_OFFSETS = {
    "en": (-8, -5, -5, 0, 0, 1, 8), "es": (-5, -3, 1, 1), "de": (1,), "fr": (1, 1, -5), "pt": (-3, -3, 0),
    "ru": (3, 5), "ar": (1, 2, 3), "hi": (5,), "ja": (9,), "it": (1,), "nl": (1,), "pl": (1,), "uk": (2,),
    "tr": (3,), "id": (7,), "vi": (7,), "th": (7,), "zh": (8,), "ko": (9,),
}  # fmt: skip


def create(
    *,
    external_id: str,
    role: Role,
    network: Network,
    language: str,
    at: datetime,
    batch: Batch | None,
    rng: random.Random,
) -> Author:
    """Return a new author as known at `at`; the accounts of one `batch` look alike."""
    facts = material.table("accounts")[network][role]
    traits = material.table("accounts")["traits"][role]
    age_place = batch.age_place if batch else rng.gauss(0, 1)
    created_at = _created_at(facts["age_days"], place=age_place, batch=batch, at=at, rng=rng)
    counts = account_facts.draw(
        facts,
        age_place=age_place,
        age_days=(at - created_at) / timedelta(days=1),
        grows_with_age=traits["grows_with_age"],
        posts_per_day_at_most=traits["posts_per_day_at_most"],
        rng=rng,
    )
    return Author(
        external_id=external_id,
        role=role,
        language=language,
        display_name=_name(traits, batch=batch, language=language, rng=rng),
        created_at=created_at,
        email_domain=_mail_domain(traits, batch=batch, rng=rng),
        friends=counts.friends,
        followers=counts.followers,
        is_verified=rng.random() < traits["verified"],
        posts=counts.posts,
        addresses=_addresses(batch=batch, rng=rng),
        user_agent=_user_agent(role, batch=batch, rng=rng),
        utc_offset_hours=rng.choice(_UTC_OFFSETS.get(language, (0,))),
        is_described=rng.random() >= _UNDESCRIBED_SHARE,
    )


def first_name(language: str, *, rng: random.Random) -> str:
    """Return a usual name for this language."""
    names = material.table("people")["first_names"]
    return str(rng.choice(names.get(language, names["en"])))


def batch(*, role: Role, network: Network, farm: int, at: datetime, rng: random.Random) -> Batch:
    """Return what the accounts of a new batch will have in common."""
    people = material.table("people")
    age_place = rng.gauss(0, 1)
    age_days = material.table("accounts")[network][role]["age_days"]
    return Batch(
        created_at=_born(age_days, place=age_place, at=at),
        age_place=age_place,
        mail_domain=rng.choice(people["big_mail_domains"]),
        name_ending=rng.choice(people["spam_name_endings"]),
        farm=farm,
        user_agent=rng.choice(people["bot_agents"]),
    )


def takeover(*, farm: int, rng: random.Random) -> Takeover:
    """Return how somebody posts on a stolen account: from elsewhere, or through the owner's own client."""
    if rng.random() < 0.4:
        return Takeover(addresses=None, user_agent=None)
    elsewhere = (addresses.home(rng), addresses.exit_shared_by_many(rng), addresses.farm(rng, number=farm))
    agents = material.table("people")["bot_agents" if rng.random() < 0.5 else "user_agents"]
    return Takeover(addresses=(rng.choice(elsewhere),), user_agent=rng.choice(agents))


def _created_at(
    age_days: list[float], *, place: float, batch: Batch | None, at: datetime, rng: random.Random
) -> datetime:
    if batch is None:
        return _born(age_days, place=place, at=at)
    # Registered within days of one another, and not after they post.
    window = min(timedelta(days=_BATCH_DAYS), at - batch.created_at)
    return batch.created_at + window * rng.random()


def _born(age_days: list[float], *, place: float, at: datetime) -> datetime:
    return at - timedelta(days=min(account_facts.value_at(age_days, place=place), _OLDEST_DAYS))


def _mail_domain(traits: dict[str, Any], *, batch: Batch | None, rng: random.Random) -> str:
    people = material.table("people")
    if rng.random() < traits["throwaway_mail"]:
        return str(rng.choice(people["throwaway_mail_domains"]))
    if batch and rng.random() < 0.7:
        return batch.mail_domain
    return str(rng.choice(people["big_mail_domains" if traits["mail"] == "big" else "mail_domains"]))


def _name(traits: dict[str, Any], *, batch: Batch | None, language: str, rng: random.Random) -> str:
    first = first_name(language, rng=rng)
    if rng.random() < traits["scripted_name"]:
        ending = batch.name_ending if batch else rng.choice(material.table("people")["spam_name_endings"])
        return first + ending.replace("{n}", str(rng.randint(1, 999)))
    names = [first, f"{first}{rng.randint(1, 99)}", f"{first} {rng.choice('ABCDEGHKLMNPRSTW')}."]
    # An initial of another script would fit nobody.
    return rng.choice(names if first[0] < "\u0250" else names[:2])


def _addresses(*, batch: Batch | None, rng: random.Random) -> tuple[str, ...]:
    # Half of a batch posts through the farm, the others through homes that are rented out.
    if batch and rng.random() < 0.5:
        return tuple(addresses.farm(rng, number=batch.farm) for _ in range(rng.randint(1, 2)))
    if rng.random() < 0.4:
        return (addresses.home(rng), addresses.exit_shared_by_many(rng))
    return (addresses.home(rng),)


def _user_agent(role: Role, *, batch: Batch | None, rng: random.Random) -> str:
    if batch and rng.random() < 0.5:
        return batch.user_agent
    agents = "bot_agents" if role == Role.FEED else "user_agents"
    return str(rng.choice(material.table("people")[agents]))
