"""The accounts of generated worlds lie near the published figures; docs/simulation.md names their sources."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from simulation.authors import Role
from simulation.events import PostEvent
from simulation.platforms import Network
from tests.simulation.seen import Seen, author_of

pytestmark = pytest.mark.xdist_group("realism")  # its worlds are built once

FAMILIES = (Role.HIJACKED, Role.AGED_BOUGHT, Role.REPURPOSED, Role.FRESH, Role.BOOSTER, Role.PROMOTER)


def _age_days(post: PostEvent) -> float:
    return (post.at - datetime.fromisoformat(post.payload["author"]["created_at"])).total_seconds() / 86_400


FACTS: dict[str, Callable[[PostEvent], float]] = {
    "friends": lambda post: post.payload["author"]["friends"],
    "followers": lambda post: post.payload["author"]["followers"],
    "friends_per_follower": lambda post: (
        post.payload["author"]["friends"] / (post.payload["author"]["followers"] + 1)
    ),
    "posts": lambda post: post.payload["author"]["posts"],
    "age_days": _age_days,
    "posts_per_day": lambda post: post.payload["author"]["posts"] / max(1.0, _age_days(post)),
    "is_verified": lambda post: float(post.payload["author"]["is_verified"]),
}


def first_posts(posts: Iterable[PostEvent], *roles: Role) -> list[PostEvent]:
    """Return the first post of each account that behaves so."""
    return list(
        {author_of(post): post for post in reversed(list(posts)) if post.truth.role in roles}.values()
    )


def separation(spam: list[PostEvent], honest: list[PostEvent], *, fact: str) -> float:
    """Return the ROC-AUC of an account fact; above .5, more of it means spam."""
    truths = [1] * len(spam) + [0] * len(honest)
    return float(roc_auc_score(truths, [FACTS[fact](post) for post in [*spam, *honest]]))


class TestAccounts:
    @pytest.mark.parametrize("network", list(Network))
    @pytest.mark.parametrize("fact", ["friends", "followers", "posts", "age_days"])
    def test_genuine_ones_lie_near_the_published_quantiles(
        self, seen: Seen, network: Network, fact: str
    ) -> None:
        published = {
            Network.MICROBLOG: {
                "friends": (88, 169, 319, 636, 1293),
                "followers": (56, 149, 341, 804, 1884),
                "posts": (421, 1810, 6611, 19_000, 43_000),
                "age_days": (290, 630, 1191, 1803, 2190),
            },
            Network.PHOTO: {
                "friends": (154, 267, 420, 614, 863),
                "followers": (118, 218, 345, 516, 725),
                "posts": (2, 8, 30, 79, 169),
                "age_days": (290, 630, 1191, 1803, 2190),
            },
        }[network][fact]

        accounts = first_posts(seen.described(network=network), Role.ORDINARY)
        made = np.quantile([FACTS[fact](post) for post in accounts], (0.1, 0.25, 0.5, 0.75, 0.9))

        assert len(accounts) > 400
        for drawn, expected, factor in zip(made, published, (1.8, 1.45, 1.35, 1.4, 1.6), strict=True):
            assert expected / factor < drawn + 1 < expected * factor + 2

    def test_each_family_writes_its_share_of_the_spam(self, seen: Seen) -> None:
        roles = Counter(post.truth.role for post in seen.of_class(is_spam=True))
        share = {role: roles[role] / roles.total() for role in FAMILIES}

        assert set(roles) == set(FAMILIES)
        assert 0.3 < share[Role.HIJACKED] + share[Role.REPURPOSED] < 0.6
        assert 0.15 < share[Role.AGED_BOUGHT] < 0.3
        assert 0.15 < share[Role.FRESH] < 0.4
        assert 0 < share[Role.BOOSTER] < 0.05

    @pytest.mark.parametrize("fact", sorted(FACTS))
    def test_hijacked_ones_are_genuine(self, seen: Seen, fact: str) -> None:
        for network in Network:
            described = seen.described(network=network)
            hijacked = first_posts(described, Role.HIJACKED)
            genuine = first_posts(described, Role.ORDINARY, Role.NEWCOMER, Role.POWER_USER)

            assert 0.42 < separation(hijacked, genuine, fact=fact) < 0.6

    @pytest.mark.parametrize("fact", sorted(FACTS))
    def test_no_fact_alone_separates(self, seen: Seen, fact: str) -> None:
        for network in Network:
            described = seen.described(network=network)
            spam = [post for post in described if post.truth.is_spam]
            honest = [post for post in described if not post.truth.is_spam]

            assert 0.25 < separation(spam, honest, fact=fact) < 0.75
