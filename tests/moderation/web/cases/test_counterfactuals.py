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
