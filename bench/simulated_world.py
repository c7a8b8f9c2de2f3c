"""What does the simulated platform generate, beside what was published about real ones?

make bench ARGS="simulated_world --worlds 12"      (needs no running product)

Worlds of 2,500 posts as `manage.py simulate_records` replays them, on both kinds of network. With
`--accounts`, a file of real accounts (friends, followers, posts, label; 1 is fake), a forest fitted on the
simulated accounts alone ranks them.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from sklearn.metrics import roc_auc_score

from bench import _real_accounts
from moderation.simulation import hosts, material
from moderation.simulation.authors import Role
from moderation.simulation.events import ComplaintEvent, PostEvent
from moderation.simulation.platforms import Network
from moderation.simulation.texts import Families, links
from moderation.simulation.world import SECONDS_PER_POST, SPAM_SHARE, World

_START = datetime(2026, 10, 1, tzinfo=UTC)
_POSTS = 2500
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_PUBLISHED = {
    (Network.MICROBLOG, "followers"): "56 / 149 / 341 / 804 / 1,884 (Cresci 2017)",
    (Network.MICROBLOG, "friends"): "88 / 169 / 319 / 636 / 1,293",
    (Network.MICROBLOG, "posts"): "421 / 1,810 / 6,611 / 19,000 / 43,000",
    (Network.PHOTO, "followers"): "118 / 218 / 345 / 516 / 725 (InstaFake 2019)",
    (Network.PHOTO, "friends"): "154 / 267 / 420 / 614 / 863",
    (Network.PHOTO, "posts"): "2 / 8 / 30 / 79 / 169",
}


@dataclass(frozen=True, slots=True)
class _Seen:
    posts: list[PostEvent]
    complaints: list[ComplaintEvent]
    networks: dict[str, Network]
    paces: dict[str, int]

    def of(self, *, is_spam: bool) -> list[PostEvent]:
        return [post for post in self.posts if post.truth.is_spam == is_spam]

    def described(self, network: Network | None = None) -> list[PostEvent]:
        return [
            post
            for post in self.posts
            if "friends" in post.payload["author"] and network in (None, self.networks[_run(post)])
        ]

    def ordinary_accounts(self, network: Network) -> list[PostEvent]:
        """Return the first post of each ordinary account."""
        posts = [post for post in self.described(network) if post.truth.role == Role.ORDINARY]
        return list({post.payload["author"]["external_id"]: post for post in reversed(posts)}.values())


def main() -> None:
    """Print a table of what is generated and what was published."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=12)
    parser.add_argument("--spam-share", type=float, default=SPAM_SHARE)
    parser.add_argument("--accounts", type=Path, help="JSON lines of real accounts, to rank only")
    options = parser.parse_args()
    seen = _worlds(options.worlds, spam_share=options.spam_share)
    print(f"{len(seen.posts):,} simulated posts, {len(seen.complaints):,} complaints\n")
    print("| | generated | published or measured elsewhere |\n|---|---|---|")
    for rows in (_families, _accounts, _links, _groups, _complaints, _behaviour):
        for name, generated, published in rows(seen):
            print(f"| {name} | {generated} | {published} |")
    if options.accounts:
        _print_ranks(options.accounts, seen=seen)


def _print_ranks(path: Path, *, seen: _Seen) -> None:
    """Rank with all simulated accounts, then without those whose quantiles come from the same collection."""
    accounts = _real_accounts.load(path)
    others = [post for post in seen.described(Network.MICROBLOG) if post.truth.role != Role.BOOSTER]
    for name, described in (
        ("all simulated accounts", seen.described()),
        ("microblogs, no boosters", others),
    ):
        ranked = _real_accounts.rank(accounts, described=described)
        print(
            f"\n{ranked.accounts} real accounts, {ranked.fakes} of them fake, by a forest that saw {name}: "
            f"ROC-AUC {ranked.by_forest:.3f}; friends per follower alone {ranked.by_ratio:.3f}"
        )
    genuine = _real_accounts.going_together(account for account in accounts if not account["label"])
    made = _real_accounts.going_together(
        post.payload["author"] for post in seen.ordinary_accounts(Network.PHOTO)
    )
    print("\nCorrelations of logarithms, genuine real accounts and simulated ordinary ones (photo network):")
    print("; ".join(f"{name} {found:.2f} and {made[name]:.2f}" for name, found in genuine.items()))


def _worlds(count: int, *, spam_share: float) -> _Seen:
    seen = _Seen(posts=[], complaints=[], networks={}, paces={})
    for number in range(count):
        run, network = f"w{number}", list(Network)[number % 2]
        seen.networks[run] = network
        world = World(
            seed=7000 + number, run=run, texts=Families.TRAIN, spam_share=spam_share, network=network
        )
        pace = seen.paces[run] = SECONDS_PER_POST[number % len(SECONDS_PER_POST)]
        for event in world.run(start=_START, seconds_per_post=pace, posts=_POSTS):
            if isinstance(event, PostEvent):
                seen.posts.append(event)
            else:
                seen.complaints.append(event)
        seen.complaints.extend(world.complaints_due())
    return seen


Row = tuple[str, str, str]


def _families(seen: _Seen) -> Iterator[Row]:
    roles = Counter(post.truth.role for post in seen.of(is_spam=True))
    share = {role: roles[role] / roles.total() for role in Role}
    old = share[Role.HIJACKED] + share[Role.REPURPOSED]
    yield "spam by hijacked and repurposed accounts", f"{old:.0%}", "30 to 60 % (judgement)"
    yield "spam by aged, bought accounts", f"{share[Role.AGED_BOUGHT]:.0%}", "15 to 30 % (judgement)"
    yield "spam by fresh accounts", f"{share[Role.FRESH]:.0%}", "20 to 40 % (judgement)"
    others = f"{share[Role.PROMOTER]:.0%}, {share[Role.BOOSTER]:.0%}"
    yield "spam by promoters, by silent boosters", others, "-"


def _accounts(seen: _Seen) -> Iterator[Row]:
    for (network, fact), published in _PUBLISHED.items():
        accounts = seen.ordinary_accounts(network)
        drawn = np.quantile([post.payload["author"][fact] for post in accounts], _QUANTILES)
        name = f"{fact} of ordinary accounts, {network} (10, 25, 50, 75, 90 %)"
        yield name, " / ".join(f"{value:,.0f}" for value in drawn), published
    accounts = seen.ordinary_accounts(Network.MICROBLOG)
    rates = np.array([post.payload["author"]["posts"] / max(1.0, _age_days(post)) for post in accounts])
    yield (
        "posts per day of ordinary accounts, microblog (10, 25, 50, 75, 90 %)",
        " / ".join(f"{value:,.1f}" for value in np.quantile(rates, _QUANTILES)),
        "5 / 10 / 19 / 32 / 55 of people with 1,000 followers (Gilani 2017)",
    )
    yield "the same accounts: at the bound of 200 posts a day", f"{np.mean(rates > 199):.1%}", "-"
    for name, (fact_of, others) in _SEPARATIONS.items():
        separations = ", ".join(f"{_separation(seen.described(one), fact_of):.2f}" for one in Network)
        yield f"ROC-AUC of {name} alone ({', '.join(Network)})", separations, others


def _age_days(post: PostEvent) -> float:
    return (post.at - datetime.fromisoformat(post.payload["author"]["created_at"])).total_seconds() / 86_400


def _separation(posts: list[PostEvent], fact: Callable[[PostEvent], float]) -> float:
    return float(roc_auc_score([post.truth.is_spam for post in posts], [fact(post) for post in posts]))


_SEPARATIONS: dict[str, tuple[Callable[[PostEvent], float], str]] = {
    "followers": (lambda post: _real_accounts.facts(post.payload["author"])[1], ".07 to .44 by data set"),
    "friends per follower": (lambda post: _real_accounts.facts(post.payload["author"])[2], ".37 to .93"),
    "posts": (lambda post: _real_accounts.facts(post.payload["author"])[3], ".07 to .45"),
    "age": (_age_days, ".10 to .52"),
}


def _links(seen: _Seen) -> Iterator[Row]:
    for is_spam, name, published in (
        (True, "spam with a link", "21 % (X, 2026), 25 % (YouTube)"),
        (False, "honest posts with a link", "7 % (X, 2026), 11 % (Twitter, 2013), 22 % (2009)"),
    ):
        posts = seen.of(is_spam=is_spam)
        yield name, _share(bool(links(post.payload["text"])) for post in posts), published
    urls = [url for post in seen.of(is_spam=True) for url in post.payload.get("links", [])]
    free = material.table("hosts")["free_hosts"]
    others = (hosts.is_small_site(_host(url)) or _host(url).endswith(tuple(free)) for url in urls)
    yield "bad links on honest sites broken into, or free hosts", _share(others), "30 to 45 % (Interisle)"


def _groups(seen: _Seen) -> Iterator[Row]:
    bad, honest = (_shared_by_two(seen.of(is_spam=is_spam)) for is_spam in (True, False))
    yield (
        "honest groups of near-duplicates for one of spammers",
        f"{len(honest) / len(bad):.0f}",
        "11 by link, 39 by text, 71 on Facebook (COMPA)",
    )
    sizes = np.quantile([len(group) for group in bad], (0.1, 0.5, 0.9, 1.0))
    yield (
        "posts of a campaign (10, 50, 90 %, largest)",
        " / ".join(f"{size:.0f}" for size in sizes),
        "mean of 17 to 44 accounts (COMPA), heavy tail (Zhu 2016)",
    )
    accounts = sum(len({post.payload["author"]["external_id"] for post in group}) for group in bad)
    posts = sum(len(group) for group in bad)
    yield "posts per account in a campaign", f"{posts / accounts:.2f}", "1.09 (2023), 3.5 (2010), 17 (2012)"
    for place, seconds in enumerate(SECONDS_PER_POST):
        days = [_days(group) for group in bad if seen.paces[_run(group[0])] == seconds]
        yield (
            f"days that a campaign lasts, in worlds of {seconds * _POSTS / 86_400:.0f} days",
            " / ".join(f"{value:.1f}" for value in np.quantile(days, _QUANTILES)),
            "9 / 19 / 68 / 99 / 223 (YouTube, groups of 5 authors)" if not place else "the same",
        )


def _days(group: Sequence[PostEvent]) -> float:
    return (group[-1].at - group[0].at).total_seconds() / 86_400


def _shared_by_two(posts: list[PostEvent]) -> list[list[PostEvent]]:
    groups: dict[str, list[PostEvent]] = defaultdict(list)
    for post in posts:
        if post.truth.campaign:
            groups[post.truth.campaign].append(post)
    return [
        group
        for group in groups.values()
        if len({post.payload["author"]["external_id"] for post in group}) > 1
    ]


def _complaints(seen: _Seen) -> Iterator[Row]:
    about = Counter(complaint.payload["post"] for complaint in seen.complaints)
    spam = seen.of(is_spam=True)
    yield (
        "spam that nobody ever reports",
        _share(post.payload["external_id"] not in about for post in spam),
        "over 95 % (LinkedIn, YouTube, Facebook: 0.35 to 0.5 % removed after reports)",
    )
    yield "complaints per 100 posts", f"{100 * about.total() / len(seen.posts):.1f}", "0.7 (Bluesky 2025)"
    truths = {post.payload["external_id"]: post for post in seen.posts}
    right: dict[str, list[bool]] = defaultdict(list)
    for complaint in seen.complaints:
        group = complaint.payload["reporter"]["external_id"].partition("-r-")[2].partition("-")[0]
        right["own" if group.isdigit() else group].append(truths[complaint.payload["post"]].truth.is_spam)
    yield (
        "complaints that are right, by group",
        ", ".join(f"{group} {np.mean(one):.0%}" for group, one in sorted(right.items())),
        "54 %, 5 % and 62 % by server (Mastodon 2023), 33 % (Reddit), 3 % (YouTube)",
    )
    minutes = [
        (complaint.at - truths[complaint.payload["post"]].at).total_seconds() / 60
        for complaint in seen.complaints
    ]
    yield (
        "minutes to a complaint",
        " / ".join(f"{value:,.0f}" for value in np.quantile(minutes, _QUANTILES)),
        "median 4 (Wikipedia), multiple minutes (Stack Exchange), tail of months",
    )


def _behaviour(seen: _Seen) -> Iterator[Row]:
    for is_spam, name in ((True, "spam"), (False, "honest posts")):
        posts = seen.of(is_spam=is_spam)
        journeys = [
            {step["name"] for step in post.payload["journey"]} for post in posts if "journey" in post.payload
        ]
        pasted, typed = (
            _share("paste" in steps for steps in journeys),
            _share("key" in steps for steps in journeys),
        )
        yield f"{name}: pasted, some of it typed", f"{pasted}, {typed}", "nothing published"
        counts = [
            post.payload["shares"] + post.payload["comments"] for post in posts if "shares" in post.payload
        ]
        yield (
            f"{name} without any reaction",
            _share(count == 0 for count in counts),
            "most; median 0 in both (Gilani 2017)",
        )


def _run(post: PostEvent) -> str:
    return str(post.payload["external_id"]).partition("-")[0]


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _share(found: Iterable[bool]) -> str:
    return f"{np.mean(list(found)):.0%}"
