"""The change that would have sent a post another way, as the page tells it."""

from __future__ import annotations

import pytest

from moderation.web.cases import counterfactuals


def line(*, before: float, after: float, route: str, review: float, remove: float) -> object:
    return counterfactuals.line(
        {"change": "author_without_spam", "probability": after, "route": route},
        probability=before,
        thresholds={"review_from": review, "remove_from": remove},
    )


class TestLine:
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

    def test_tells_a_change_that_is_seen(self) -> None:
        found = line(before=0.962, after=0.95, route="review", review=0.5, remove=0.96)

        assert isinstance(found, counterfactuals.ChangeLine)
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
        found = told({"change": "word_removed", "subject": subject})

        assert found is not None
        assert (found.before, found.subject, found.after) == (words, subject, "")

    @pytest.mark.parametrize("change", ["one_more_complaint", "more_complaints", "complaint_added"])
    def test_is_none_for_what_did_not_happen(self, change: str) -> None:
        """A score of an old release may hold one: it would tell that a single complaint removes a post."""
        assert told({"change": change, "value_before": 0.0, "value_after": 1.0}) is None

    def test_counts_complaints_down_from_those_that_there_are(self) -> None:
        found = told({"change": "fewer_complaints", "value_before": 3.0, "value_after": 1.0})

        assert found is not None
        assert found.before == "With 1 complaint instead of 3"


def told(stored: dict[str, object]) -> counterfactuals.ChangeLine | None:
    return counterfactuals.line(
        stored | {"probability": 0.1, "route": "allow"},
        probability=0.8,
        thresholds={"review_from": 0.2, "remove_from": 0.9},
    )
