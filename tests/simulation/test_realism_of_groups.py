"""Groups of accounts and what they link to lie near the published figures of docs/simulation.md."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean
from urllib.parse import urlsplit

import numpy as np
import pytest

from scoring.similarity import likeness
from simulation import hosts
from simulation.events import PostEvent
from simulation.texts import links
from tests.simulation.seen import Seen, author_of, worlds

pytestmark = pytest.mark.xdist_group("realism")  # its worlds are built once


def groups_of(seen: Seen, *, is_spam: bool) -> list[list[PostEvent]]:
    """Return the near-duplicates that at least two accounts posted."""
    groups: dict[str, list[PostEvent]] = defaultdict(list)
    for post in seen.of_class(is_spam=is_spam):
        if post.truth.campaign:
            groups[post.truth.campaign].append(post)
    return [group for group in groups.values() if len({author_of(post) for post in group}) > 1]


class TestGroups:
    @pytest.mark.parametrize("spam_share", [0.2, pytest.param(0.03, marks=pytest.mark.long)])
    def test_honest_ones_outnumber_campaigns(self, spam_share: float) -> None:
        seen = worlds(range(20, 28), spam_share=spam_share)

        honest, bad = (len(groups_of(seen, is_spam=is_spam)) for is_spam in (False, True))

        assert 9 < honest / bad < 40

    def test_honest_ones_are_small_and_read_alike(self, seen: Seen) -> None:
        groups = groups_of(seen, is_spam=False)
        alike = [likeness(group[0].payload["text"], group[1].payload["text"]) for group in groups[:300]]

        assert np.median([len(group) for group in groups]) <= 3
        assert np.median(alike) > 0.9

    def test_campaigns_have_a_heavy_tail_and_about_a_post_per_account(self, seen: Seen) -> None:
        groups = groups_of(seen, is_spam=True)
        sizes = sorted(len(group) for group in groups)
        wide = [group for group in groups if len(group) / len({author_of(post) for post in group}) < 1.35]

        assert 5 <= sizes[len(sizes) // 2] <= 15
        assert sizes[-1] > 3 * sizes[len(sizes) // 2]
        assert 0.5 < len(wide) / len(groups) < 0.95

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
    def test_four_in_ten_posts_hold_one_in_both_classes(self, seen: Seen) -> None:
        for is_spam in (True, False):
            posts = seen.of_class(is_spam=is_spam)
            assert 0.3 < mean(bool(links(post.payload["text"])) for post in posts) < 0.5

    def test_bad_ones_lead_to_other_peoples_sites_too(self, seen: Seen) -> None:
        bad = [url for post in seen.of_class(is_spam=True) for url in post.payload.get("links", [])]

        others = mean(hosts.is_shared(host) or hosts.is_small_site(host) for host in map(_host, bad))
        assert 0.2 < others < 0.45


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
