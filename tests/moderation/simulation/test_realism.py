"""What the world generates lies near the published figures; docs/simulation.md names their sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from statistics import mean
from urllib.parse import urlsplit

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from moderation.simulation import hosts, material
from moderation.simulation.authors import Role
from moderation.simulation.events import ComplaintEvent, PostEvent
from moderation.simulation.platforms import Network
from moderation.simulation.world import World
from scoring.similarity import likeness

from .conftest import START

_POSTS = 2500
_SECONDS_PER_POST = (240, 1800, 60)
FAMILIES = (
    Role.HIJACKED,
    Role.AGED_BOUGHT,
    Role.REPURPOSED,
    Role.FRESH,
    Role.BOOSTER,
    Role.PROMOTER,
)


@dataclass(slots=True)
class Seen:
    """The posts and complaints of several worlds, and the network that each world is."""

    posts: list[PostEvent] = field(default_factory=list)
    complaints: list[ComplaintEvent] = field(default_factory=list)
    networks: dict[str, Network] = field(default_factory=dict)

    def of_class(self, *, is_spam: bool) -> list[PostEvent]:
        return [post for post in self.posts if post.truth.is_spam == is_spam]

    def described(self, *, network: Network | None = None) -> list[PostEvent]:
        """Return the posts of which the author's account is known."""
        return [
            post
            for post in self.posts
            if "friends" in post.payload["author"] and network in (None, self.networks[_run(post)])
        ]


@pytest.fixture(scope="module")
def seen() -> Seen:
    """Return eight worlds of 2,500 posts, four on each network."""
    return worlds(range(8))


def worlds(seeds: Iterable[int], *, spam_share: float = 0.2) -> Seen:
    seen = Seen()
    for seed in seeds:
        run, network = f"w{seed}", list(Network)[seed % 2]
        seen.networks[run] = network
        world = World(seed=100 + seed, run=run, network=network, spam_share=spam_share)
        pace = _SECONDS_PER_POST[seed % 3]
        events = [*world.run(start=START, seconds_per_post=pace, posts=_POSTS), *world.complaints_due()]
        seen.posts += [event for event in events if isinstance(event, PostEvent)]
        seen.complaints += [event for event in events if isinstance(event, ComplaintEvent)]
    return seen


def _run(post: PostEvent) -> str:
    return str(post.payload["external_id"]).partition("-")[0]


def _author(post: PostEvent) -> str:
    return str(post.payload["author"]["external_id"])


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
    return list({_author(post): post for post in reversed(list(posts)) if post.truth.role in roles}.values())


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
        posts = Counter(_author(post) for post in seen.posts if post.truth.role == Role.BOOSTER)

        assert np.median([FACTS["friends"](post) for post in boosters]) > 500
        # The post at hand is counted.
        assert np.median([FACTS["posts"](post) for post in boosters]) == 1
        assert np.mean(list(posts.values())) < 1.3

    def test_throw_away_accounts_write_one_to_three_posts(self, seen: Seen) -> None:
        posts = Counter(_author(post) for post in seen.posts if post.truth.role == Role.FRESH)

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
            wrote[_author(post)].append(post.truth.role == Role.HIJACKED)
        hijacked = [posts for posts in wrote.values() if any(posts)]
        owners_return = [posts for posts in hijacked if not all(posts[posts.index(True) :])]
        were_known = [posts for posts in hijacked if not posts[0]]

        assert len(owners_return) > 0.3 * len(hijacked)
        assert len(were_known) > 0.3 * len(hijacked)

    def test_something_else_changes(self, seen: Seen) -> None:
        by_author: dict[str, dict[bool, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
        for post in seen.posts:
            if "user_agent" in post.payload:
                habit = (post.payload["user_agent"], post.truth.language)
                by_author[_author(post)][post.truth.role == Role.HIJACKED].add(habit)
        both = [habits for habits in by_author.values() if len(habits) == 2]
        changed = [habits for habits in both if not habits[True] <= habits[False]]

        assert 0.4 < len(changed) / len(both) < 0.95


def groups_of(seen: Seen, *, is_spam: bool) -> list[list[PostEvent]]:
    """Return the near-duplicates that at least two accounts posted."""
    groups: dict[str, list[PostEvent]] = defaultdict(list)
    for post in seen.of_class(is_spam=is_spam):
        if post.truth.campaign:
            groups[post.truth.campaign].append(post)
    return [group for group in groups.values() if len({_author(post) for post in group}) > 1]


class TestGroups:
    @pytest.mark.parametrize("spam_share", [0.2, 0.03])
    def test_honest_ones_outnumber_campaigns(self, spam_share: float) -> None:
        seen = worlds(range(20, 28), spam_share=spam_share)

        honest, bad = (len(groups_of(seen, is_spam=is_spam)) for is_spam in (False, True))

        assert 9 < honest / bad < 40

    def test_honest_ones_are_small_and_read_alike(self, seen: Seen) -> None:
        groups = groups_of(seen, is_spam=False)
        alike = [likeness(group[0].payload["text"], group[1].payload["text"]) for group in groups[:300]]

        assert np.median([len(group) for group in groups]) <= 3
        assert np.median(alike) > 0.9

    def test_short_honest_texts_repeat_and_long_ones_do_not(self, seen: Seen) -> None:
        own = [post for post in seen.of_class(is_spam=False) if not post.truth.campaign]
        copies = Counter(post.payload["text"] for post in own)

        def repeated(shortest: int, longest: int) -> float:
            texts = [post.payload["text"] for post in own if shortest <= len(post.payload["text"]) <= longest]
            return mean(copies[text] > 1 for text in texts)

        assert repeated(1, 9) > 0.4
        assert repeated(50, 400) < 0.05

    def test_campaigns_have_a_heavy_tail_and_about_a_post_per_account(self, seen: Seen) -> None:
        groups = groups_of(seen, is_spam=True)
        sizes = sorted(len(group) for group in groups)
        wide = [group for group in groups if len(group) / len({_author(post) for post in group}) < 1.35]

        assert 5 <= sizes[len(sizes) // 2] <= 15
        assert sizes[-1] > 3 * sizes[len(sizes) // 2]
        assert 0.6 < len(wide) / len(groups) < 0.95

    def test_campaigns_last_for_days_and_some_are_bursts(self, seen: Seen) -> None:
        groups = groups_of(seen, is_spam=True)
        days = [(group[-1].at - group[0].at).total_seconds() / 86_400 for group in groups]

        assert 0.5 < float(np.median(days)) < 15
        assert 0.05 < mean(lasted < 0.02 for lasted in days) < 0.3
        assert max(days) > 10

    def test_some_campaigns_say_the_same_in_other_words(self, seen: Seen) -> None:
        groups = [group for group in groups_of(seen, is_spam=True) if len(group) >= 5]
        alike = [
            mean(likeness(group[0].payload["text"], post.payload["text"]) for post in group[1:])
            for group in groups
        ]

        assert 0.02 < mean(one < 0.25 for one in alike) < 0.4
        assert np.median(alike) > 0.4


class TestLinks:
    def test_most_spam_holds_none(self, seen: Seen) -> None:
        linked = {
            is_spam: mean("://" in post.payload["text"] for post in seen.of_class(is_spam=is_spam))
            for is_spam in (True, False)
        }

        assert 0.2 < linked[True] < 0.3
        assert 0.07 < linked[False] < 0.22

    def test_a_part_of_the_names_is_spelt_out(self, seen: Seen) -> None:
        spelt_out = [
            post
            for post in seen.of_class(is_spam=True)
            if any(sign in post.payload["text"].lower() for sign in (" dot ", "．", "(.)", "[dot]"))
        ]

        assert 0.03 < len(spelt_out) / len(seen.of_class(is_spam=True)) < 0.15

    def test_bad_ones_lead_to_other_peoples_sites_too(self, seen: Seen) -> None:
        places = Counter(
            _place(url) for post in seen.of_class(is_spam=True) for url in post.payload.get("links", [])
        )
        total = places.total()

        assert total > 300
        assert 0.3 < (places["small site"] + places["free host"]) / total < 0.45
        assert 0.08 < places["shortener"] / total < 0.22


def _place(url: str) -> str:
    host = urlsplit(url).hostname or ""
    table = material.table("hosts")
    if host in table["shorteners"]:
        return "shortener"
    if any(host.endswith(free) for free in table["free_hosts"]):
        return "free host"
    return "small site" if hosts.is_small_site(host) else "own"


class TestComplaints:
    def test_more_than_95_per_cent_of_spam_is_never_reported(self, seen: Seen) -> None:
        reported = {event.payload["post"] for event in seen.complaints}

        spam = mean(post.payload["external_id"] in reported for post in seen.of_class(is_spam=True))
        talk = mean(post.payload["external_id"] in reported for post in seen.of_class(is_spam=False))

        assert 0.02 < spam < 0.05
        assert 0.004 < talk < 0.02

    def test_reporters_are_hardly_skilled(self, seen: Seen) -> None:
        truths = {post.payload["external_id"]: post.truth.is_spam for post in seen.posts}
        right: dict[str, list[bool]] = defaultdict(list)
        for event in seen.complaints:
            right[_reporter_group(event)].append(truths[event.payload["post"]])

        assert 0.45 < mean(right["own"]) < 0.75
        assert 0.05 < mean(right["hasty"]) < 0.4
        assert mean(right["brigade"]) == 0
        # The few whose skill shows again and again.
        assert len(right["careful"]) < 0.1 * len(seen.complaints)

    def test_they_come_within_minutes_hours_or_weeks(self, seen: Seen) -> None:
        posted = {post.payload["external_id"]: post.at for post in seen.posts}
        seconds = [
            (event.at - posted[event.payload["post"]]).total_seconds()
            for event in seen.complaints
            if _reporter_group(event) != "brigade"
        ]
        tenth, median, ninetieth = np.quantile(seconds, (0.1, 0.5, 0.9))

        assert 240 < median < 900
        # Log-normal with a long tail, unlike an exponential delay.
        assert ninetieth / median > 8
        assert median / tenth > 8

    def test_most_readers_of_a_rare_spam_complain_about_something_else(self) -> None:
        seen = worlds(range(30, 34), spam_share=0.01)
        truths = {post.payload["external_id"]: post.truth.is_spam for post in seen.posts}

        assert mean(truths[event.payload["post"]] for event in seen.complaints) < 0.2


def _reporter_group(event: ComplaintEvent) -> str:
    name = event.payload["reporter"]["external_id"].partition("-r-")[2].partition("-")[0]
    return "own" if name.isdigit() else str(name)


class TestJourneys:
    def test_honest_people_paste_at_times(self, seen: Seen) -> None:
        assert 0.1 < mean("paste" in _steps(post) for post in _with_journey(seen, is_spam=False)) < 0.35

    def test_most_spam_families_type_like_anybody(self, seen: Seen) -> None:
        for family in (Role.AGED_BOUGHT, Role.REPURPOSED, Role.PROMOTER):
            typed = [
                "key" in _steps(post) and "paste" not in _steps(post)
                for post in _with_journey(seen, is_spam=True)
                if post.truth.role == family
            ]
            assert mean(typed) > 0.4

    def test_posts_without_a_journey_are_in_both_classes(self, seen: Seen) -> None:
        for is_spam in (True, False):
            posts = seen.of_class(is_spam=is_spam)
            assert 0.2 < mean("journey" not in post.payload for post in posts) < 0.55

    def test_no_reaction_is_usual_for_both_classes_and_some_are_bought(self, seen: Seen) -> None:
        reactions = {
            is_spam: [
                post.payload["shares"] + post.payload["comments"]
                for post in seen.of_class(is_spam=is_spam)
                if "shares" in post.payload
            ]
            for is_spam in (True, False)
        }

        assert all(mean(count == 0 for count in counts) > 0.55 for counts in reactions.values())
        assert np.quantile(reactions[True], 0.97) > 20


def _with_journey(seen: Seen, *, is_spam: bool) -> list[PostEvent]:
    return [post for post in seen.of_class(is_spam=is_spam) if "journey" in post.payload]


def _steps(post: PostEvent) -> set[str]:
    return {step["name"] for step in post.payload["journey"]}
