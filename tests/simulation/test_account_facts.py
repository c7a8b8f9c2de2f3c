"""What the platform counts of one account hangs together, and real accounts are told apart by it."""

import json
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from deploy.local.places import ROOT
from simulation import authors
from simulation.authors import Author, Batch, Role
from simulation.events import PostEvent
from simulation.platforms import Network
from simulation.world import World
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
            external_id=str(number), role=role, network=network, language="en", at=START, batch=batch, rng=rng
        )
        for number in range(accounts)
    ]


def ranks(accounts: list[Author], fact: str) -> NDArray[np.intp]:
    return np.argsort(np.argsort([_FACTS[fact](author) for author in accounts]))


def going_together(accounts: list[Author], fact: str, other: str) -> float:
    """Return the correlation of two facts' ranks."""
    return float(np.corrcoef(ranks(accounts, fact), ranks(accounts, other))[0, 1])


_REAL = ROOT.parent / "shared" / "data" / "accounts_instafake.jsonl"


def _facts(account: dict[str, Any]) -> list[float]:
    """Return friends, followers, friends per follower and posts."""
    ratio = (account["friends"] + 1) / (account["followers"] + 1)
    return [account["friends"], account["followers"], ratio, account["posts"]]


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


@pytest.mark.skipif(not _REAL.exists(), reason=f"the real accounts are not at {_REAL}")
@pytest.mark.parametrize("network", list(Network))
def test_a_forest_of_simulated_accounts_ranks_real_ones(network: Network) -> None:
    simulated = [
        event
        for seed in range(3)
        for event in World(seed=seed, run=f"w{seed}", network=network).run(
            start=START, seconds_per_post=240, posts=2500
        )
        if isinstance(event, PostEvent) and "friends" in event.payload["author"]
    ]
    forest = RandomForestClassifier(n_estimators=150, min_samples_leaf=12, random_state=1)
    forest.fit(
        [_facts(event.payload["author"]) for event in simulated], [event.truth.is_spam for event in simulated]
    )
    accounts = [json.loads(line) for line in _REAL.read_text(encoding="utf-8").splitlines()]

    probabilities = forest.predict_proba([_facts(account) for account in accounts])[:, 1]

    assert roc_auc_score([account["label"] for account in accounts], probabilities) > 0.85
