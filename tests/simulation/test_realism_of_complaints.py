"""Complaints and journeys lie near the published figures; docs/simulation.md names their sources."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean

import numpy as np
import pytest

from simulation.authors import Role
from simulation.events import ComplaintEvent, PostEvent
from tests.simulation.seen import Seen, worlds

pytestmark = pytest.mark.xdist_group("realism")  # its worlds are built once


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
