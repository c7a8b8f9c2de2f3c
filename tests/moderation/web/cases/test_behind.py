"""What stands behind a case: its context over time, what is known since, what would change its route."""

# ruff: noqa: F811 - fixtures of another module are arguments here

import itertools
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from moderation.models import Case, Score
from moderation.models.cases import CaseReason
from moderation.queries.cases.case_context import Event, Lane
from moderation.queries.records import record_histories
from moderation.web.cases import counterfactuals, event_lanes
from tests.moderation.conftest import Case_
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures
from tests.moderation.web.conftest import asked, read

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
        ("verdict", "words"), [("spam", "2 h ago, spam"), ("not_spam", "2 h ago, not spam"), ("", "2 h ago")]
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


def news(desk: Client, case: Case) -> str:
    return read(desk, f"/review/{case.pk}/now/")


class TestFactsNow:
    def test_tells_the_differences_and_when(self, desk: Client, counted_case: Case) -> None:
        body = news(desk, counted_case)

        # One of four spam was corrected, another decided spam; one more not spam, and that corrected one.
        assert "pills.example" in body
        assert "+2 judged not spam, +1 post, +1 complaint" in body
        assert re.search(r"since 2026-03-01 12:01 UTC, as of \d\d:\d\d", body)

    def test_tells_them_of_an_appeal(self, lead_desk: Client, counted_case: Case) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=CaseReason.APPEALED, is_escalated=True)

        assert "+2 judged not spam" in news(lead_desk, counted_case)

    def test_tells_that_nothing_changed(self, desk: Client, open_case: Case_) -> None:
        assert "No changes since scoring" in news(desk, open_case())

    def test_tells_what_is_so_now_where_the_sample_is_full(
        self, desk: Client, counted_case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(record_histories, "SAMPLE", 4)
        monkeypatch.setitem(record_histories._NUMBERS, "sample", 4)
        monkeypatch.setattr(record_histories, "_filled", record_histories._filled.__wrapped__)

        assert re.search(r"now \d+ spam, \d+ not in the latest 4", news(desk, counted_case))

    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.SECOND])
    def test_tells_nothing_of_a_blind_case(self, desk: Client, counted_case: Case, reason: str) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=reason)

        assert news(desk, counted_case).strip() == ""
        assert (
            f"/review/{counted_case.pk}/now/" not in desk.get(f"/review/{counted_case.pk}/").content.decode()
        )

    def test_tells_nothing_where_the_record_was_erased(self, desk: Client, counted_case: Case) -> None:
        Score.objects.update(record={"erased": True})

        assert news(desk, counted_case).strip() == ""

    def test_needs_few_queries(self, desk: Client, counted_case: Case) -> None:
        news(desk, counted_case)

        assert len(asked(desk, f"/review/{counted_case.pk}/now/")) <= 8


def line(
    *, before: float, after: float, route: str, review: float = 0.2, remove: float = 0.9, **stored: object
) -> counterfactuals.ChangeLine | None:
    return counterfactuals.line(
        {"change": "author_without_spam", "probability": after, "route": route} | stored,
        probability=before,
        thresholds={"review_from": review, "remove_from": remove},
    )


class TestCounterfactual:
    @pytest.mark.parametrize(
        ("before", "after", "bounds"),
        [(0.9996, 0.9931, (0.5, 1.0)), (0.0099, 0.0041, (0.01, 0.5)), (0.963, 0.9612, (0.5, 0.962))],
        ids=["above 99%", "below 1%", "equal per cent"],
    )
    def test_is_none_where_both_sides_show_the_same_number(
        self, before: float, after: float, bounds: tuple[float, float]
    ) -> None:
        route = "review" if before > 0.5 else "allow"

        assert line(before=before, after=after, route=route, review=bounds[0], remove=bounds[1]) is None

    @pytest.mark.parametrize(
        ("before", "change", "after", "route"),
        [
            (0.959, "word_removed", 0.961, "remove"),  # makes it worse
            (0.896, "domain_not_seen", 0.904, "remove"),  # 90 % and 90 %
            (0.204, "word_removed", 0.196, "allow"),  # 20 % is not below 20 %
            (0.93, "another_complaint", 0.98, "remove"),  # of what did not happen, by an old release
            (0.8, "one_more_complaint", 0.1, "allow"),
            (0.5, "impossible", 0.1, "allow"),
        ],
    )
    def test_is_none_where_the_numbers_beside_it_do_not_show_it(
        self, before: float, change: str, after: float, route: str
    ) -> None:
        assert line(before=before, after=after, route=route, change=change, subject="cat") is None

    def test_tells_a_change_that_is_seen(self) -> None:
        found = line(before=0.962, after=0.95, route="review", review=0.5, remove=0.96)

        assert found is not None
        assert (found.probability, found.route) == (0.95, "it would be sent to review")

    @pytest.mark.parametrize(
        ("subject", "words"),
        [
            ("https://handmade-shop.example/x?y=1", "Without the link"),
            ("handmade-shop.com", "Without the link"),
            ("(https://handmade-shop.example)", "Without the link"),
            ("1-888-555-0162", "Without the word"),
            ("bonus", "Without the word"),
            ("!!!", "Without the characters"),
        ],
    )
    def test_calls_a_link_a_link(self, subject: str, words: str) -> None:
        """Never "Without the word hxxps://…"."""
        found = line(before=0.8, after=0.1, route="allow", change="word_removed", subject=subject)

        assert found is not None
        assert (found.before, found.subject, found.after) == (words, subject, "")

    @pytest.mark.parametrize(
        ("change", "before", "after", "words"),
        [
            ("fewer_complaints", 3.0, 1.0, "With 1 complaint instead of 3"),
            ("account_older", 1.0, 31.0, "With an account 1 month old instead of 1 day"),
        ],
    )
    def test_says_what_would_be_instead(self, change: str, before: float, after: float, words: str) -> None:
        found = line(
            before=0.8, after=0.1, route="allow", change=change, value_before=before, value_after=after
        )

        assert found is not None
        assert found.before == words
