"""The accounts of generated worlds lie near the published figures; docs/simulation.md names their sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from simulation import material
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

    def test_the_ratio_points_one_way_in_one_family_and_the_other_in_the_next(self, seen: Seen) -> None:
        described = seen.described()
        genuine = first_posts(described, Role.ORDINARY)

        ratio = {
            role: separation(first_posts(described, role), genuine, fact="friends_per_follower")
            for role in FAMILIES
        }

        assert ratio[Role.BOOSTER] > 0.85
        assert ratio[Role.REPURPOSED] < 0.3
        assert 0.4 < ratio[Role.AGED_BOUGHT] < 0.6

    def test_at_most_a_third_of_spam_shows_the_ratio(self, seen: Seen) -> None:
        spam = [post for post in seen.described() if post.truth.is_spam]
        high = [post for post in spam if FACTS["friends_per_follower"](post) > 3.0]

        assert 0.05 < len(high) / len(spam) < 1 / 3

    def test_silent_boosters_follow_many_and_never_posted(self, seen: Seen) -> None:
        boosters = first_posts(seen.described(), Role.BOOSTER)
        posts = Counter(author_of(post) for post in seen.posts if post.truth.role == Role.BOOSTER)

        assert np.median([FACTS["friends"](post) for post in boosters]) > 500
        # The post at hand is counted.
        assert np.median([FACTS["posts"](post) for post in boosters]) == 1
        assert np.mean(list(posts.values())) < 1.3

    def test_throw_away_accounts_write_one_to_three_posts(self, seen: Seen) -> None:
        posts = Counter(author_of(post) for post in seen.posts if post.truth.role == Role.FRESH)

        assert np.quantile(list(posts.values()), 0.85) <= 3

    def test_mail_providers_are_large_hardly_ever_throw_away(self, seen: Seen) -> None:
        throw_away = set(material.table("people")["throwaway_mail_domains"])
        domains = {
            is_spam: Counter(
                post.payload["author"]["email_domain"]
                for post in seen.described()
                if post.truth.is_spam == is_spam
            )
            for is_spam in (True, False)
        }
        shares = {
            is_spam: sum(counted[name] for name in throw_away) / counted.total()
            for is_spam, counted in domains.items()
        }

        assert 0 < shares[False] < shares[True] < 0.04


class TestHijackedAccounts:
    def test_their_owners_go_on_posting(self, seen: Seen) -> None:
        wrote: dict[str, list[bool]] = defaultdict(list)
        for post in seen.posts:
            wrote[author_of(post)].append(post.truth.role == Role.HIJACKED)
        hijacked = [posts for posts in wrote.values() if any(posts)]
        owners_return = [posts for posts in hijacked if not all(posts[posts.index(True) :])]
        were_known = [posts for posts in hijacked if not posts[0]]

        # Half of them did (Zangerle 2014); platforms that remove spam lock most such accounts.
        assert len(owners_return) > 0.08 * len(hijacked)
        assert len(were_known) > 0.3 * len(hijacked)

    def test_something_else_changes(self, seen: Seen) -> None:
        by_author: dict[str, dict[bool, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
        for post in seen.posts:
            if "user_agent" in post.payload:
                habit = (post.payload["user_agent"], post.truth.language)
                by_author[author_of(post)][post.truth.role == Role.HIJACKED].add(habit)
        both = [habits for habits in by_author.values() if len(habits) == 2]
        changed = [habits for habits in both if not habits[True] <= habits[False]]

        assert 0.4 < len(changed) / len(both) < 0.95
