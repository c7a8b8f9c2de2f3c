"""The context over time: every mark and every tick of its axis says in words when it was."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from moderation.queries.cases.case_context import Event, Lane
from moderation.web.cases import event_lanes

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def drawn(*ago: timedelta, verdict: str = "") -> event_lanes.Picture:
    """One lane of events that were so long ago."""
    events = tuple(Event(at=AT - one, verdict=verdict) for one in ago)
    return event_lanes.picture([Lane(name="posts", events=events)], at=AT)


class TestTicks:
    @pytest.mark.parametrize(
        ("oldest", "words"),
        [
            (timedelta(minutes=20), ["5 min"]),
            (timedelta(hours=20), ["5 min", "1 h", "6 h"]),
            (timedelta(days=3), ["5 min", "1 h", "6 h", "1 d"]),
            (timedelta(days=800), ["5 min", "1 h", "6 h", "7 d", "30 d", "365 d"]),
        ],
    )
    def test_say_how_long_ago_they_are(self, oldest: timedelta, words: list[str]) -> None:
        assert [tick.words for tick in drawn(oldest).ticks] == words

    @pytest.mark.parametrize("days", [0, 1, 9, 40, 400, 4_000])
    def test_never_write_one_over_another(self, days: int) -> None:
        places = [tick.x for tick in drawn(timedelta(days=days)).ticks]

        assert places
        assert all(right - left >= 10 for right, left in itertools.pairwise(places))

    def test_stand_where_an_event_of_that_age_stands(self) -> None:
        found = drawn(timedelta(days=3), timedelta(hours=6))

        [six_hours] = [tick.x for tick in found.ticks if tick.words == "6 h"]
        assert found.lanes[0].marks[1].x == six_hours


class TestMarks:
    @pytest.mark.parametrize(
        ("verdict", "words"),
        [("spam", "2 h ago, spam"), ("not_spam", "2 h ago, not spam"), ("", "2 h ago")],
    )
    def test_say_when_and_what_was_decided(self, verdict: str, words: str) -> None:
        [mark] = drawn(timedelta(hours=2), verdict=verdict).lanes[0].marks

        assert mark.words == words

    def test_say_which_is_the_post_itself(self) -> None:
        event = Event(at=AT - timedelta(minutes=3), is_this=True)
        found = event_lanes.picture([Lane(name="posts", events=(event,))], at=AT)

        assert found.lanes[0].marks[0].words == "this post, 3 min ago"

    def test_point_up_for_spam_and_down_for_not_spam(self) -> None:
        [spam] = drawn(timedelta(hours=2), verdict="spam").lanes[0].marks
        [fine] = drawn(timedelta(hours=2), verdict="not_spam").lanes[0].marks

        assert (spam.top < fine.top, spam.bottom < fine.bottom) == (True, True)
