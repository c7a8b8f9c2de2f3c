"""Groups of accounts, links and complaints lie near the published figures of docs/simulation.md."""

from collections import defaultdict
from statistics import mean

import numpy as np
import pytest

from simulation.events import ComplaintEvent, PostEvent
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


def _reporter_group(event: ComplaintEvent) -> str:
    name = event.payload["reporter"]["external_id"].partition("-r-")[2].partition("-")[0]
    return "own" if name.isdigit() else str(name)


class TestGroups:
    @pytest.mark.parametrize("spam_share", [0.2, pytest.param(0.03, marks=pytest.mark.long)])
    def test_honest_ones_outnumber_campaigns(self, spam_share: float) -> None:
        seen = worlds(range(20, 28), spam_share=spam_share)

        honest, bad = (len(groups_of(seen, is_spam=is_spam)) for is_spam in (False, True))

        assert 9 < honest / bad < 40

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


class TestLinks:
    def test_four_in_ten_posts_hold_one_in_both_classes(self, seen: Seen) -> None:
        for is_spam in (True, False):
            posts = seen.of_class(is_spam=is_spam)
            assert 0.3 < mean(bool(links(post.payload["text"])) for post in posts) < 0.5


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
