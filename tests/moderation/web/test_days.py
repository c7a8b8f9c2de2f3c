"""Whole days in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.core.exceptions import ValidationError

from moderation.web import days


class TestDayField:
    @pytest.mark.parametrize("given", ["0001-01-01", "0001-12-31", "9999-01-01", "9999-12-31", "nonsense"])
    def test_refuses_a_day_without_a_beginning_or_an_end(self, given: str) -> None:
        with pytest.raises(ValidationError):
            days.DayField().clean(given)

    @pytest.mark.parametrize("given", ["0002-01-01", "9998-12-31", "2026-02-28"])
    def test_takes_any_other(self, given: str) -> None:
        day = days.DayField().clean(given)

        since, until = days.window(day, day)
        assert since is not None
        assert until is not None


def test_a_window_holds_both_of_its_days() -> None:
    assert days.window(date(2026, 3, 1), date(2026, 3, 2)) == (
        datetime(2026, 3, 1, tzinfo=UTC),
        datetime(2026, 3, 3, tzinfo=UTC),
    )
    assert days.window(None, None) == (None, None)
