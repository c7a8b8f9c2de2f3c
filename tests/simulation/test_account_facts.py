"""What the platform counts of one account hangs together."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from simulation import authors
from simulation.authors import Author, Batch, Role
from simulation.platforms import Network
from tests.simulation.seen import START

_FACTS: dict[str, Callable[[Author], float]] = {
    "age_days": lambda author: (START - author.created_at) / timedelta(days=1),
    "posts": lambda author: author.posts,
    "posts_per_day": lambda author: author.posts / ((START - author.created_at) / timedelta(days=1)),
    "friends": lambda author: author.friends,
    "followers": lambda author: author.followers,
}


def created(
    role: Role, *, network: Network, batch: Batch | None = None, accounts: int = 1500
) -> list[Author]:
    rng = random.Random(5)
    return [
        authors.create(
            external_id=str(number),
            role=role,
            network=network,
            language="en",
            at=START,
            batch=batch,
            rng=rng,
        )
        for number in range(accounts)
    ]


def ranks(accounts: list[Author], fact: str) -> NDArray[np.intp]:
    return np.argsort(np.argsort([_FACTS[fact](author) for author in accounts]))


def going_together(accounts: list[Author], fact: str, other: str) -> float:
    """Return the correlation of two facts' ranks."""
    return float(np.corrcoef(ranks(accounts, fact), ranks(accounts, other))[0, 1])


@pytest.mark.parametrize("network", list(Network))
class TestPeople:
    def test_posts_are_the_age_times_a_rate_that_does_not_depend_on_it(self, network: Network) -> None:
        accounts = created(Role.ORDINARY, network=network)

        assert 0.3 < going_together(accounts, "posts", "age_days") < 0.6
        assert abs(going_together(accounts, "posts_per_day", "age_days")) < 0.12

    def test_who_posts_more_follows_more_and_is_followed_more(self, network: Network) -> None:
        accounts = created(Role.ORDINARY, network=network)

        assert going_together(accounts, "friends", "followers") > 0.5
        assert 0.3 < going_together(accounts, "friends", "posts") < 0.5
        assert 0.1 < going_together(accounts, "followers", "posts") < 0.5


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.HIJACKED, Role.FEED)])
def test_no_person_counts_more_than_200_posts_a_day(role: Role) -> None:
    accounts = created(role, network=Network.MICROBLOG)

    assert max(author.posts - 200 * _FACTS["age_days"](author) for author in accounts) <= 0.5


def test_an_idle_accounts_posts_say_nothing_of_its_age() -> None:
    accounts = created(Role.AGED_BOUGHT, network=Network.MICROBLOG)

    assert abs(going_together(accounts, "posts", "age_days")) < 0.1


def test_accounts_of_a_batch_are_of_one_age_and_differ_in_the_rest() -> None:
    batch = authors.batch(
        role=Role.AGED_BOUGHT, network=Network.PHOTO, farm=3, at=START, rng=random.Random(1)
    )

    accounts = created(Role.AGED_BOUGHT, network=Network.PHOTO, batch=batch, accounts=50)

    assert max(author.created_at for author in accounts) - batch.created_at <= timedelta(days=6)
    assert len({author.friends for author in accounts}) > 25
