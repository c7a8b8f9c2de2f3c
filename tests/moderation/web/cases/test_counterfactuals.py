"""The change that would have sent a post another way, as the page tells it."""

from __future__ import annotations

import pytest

from moderation.web.cases import counterfactuals


def line(
    *, before: float, after: float, route: str, review: float = 0.2, remove: float = 0.9, **stored: object
) -> counterfactuals.ChangeLine | None:
    return counterfactuals.line(
        {"change": "author_without_spam", "probability": after, "route": route} | stored,
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
