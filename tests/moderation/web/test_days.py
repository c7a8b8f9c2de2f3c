"""Whole days, and moments, by the clock of the reader."""

from datetime import UTC, date, datetime

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from moderation.web import days


class TestDayField:
    @pytest.mark.parametrize(
        "given",
        [
            "0001-01-01",
            "0001-12-31",
            "9999-01-01",
            "9999-12-31",
            "nonsense",
            "9999-12-31T23:59+00:00",
            "2026-03-01T25:00",
        ],
    )
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


def test_days_begin_and_end_where_the_reader_is() -> None:
    with timezone.override("Europe/Berlin"):
        since, until = days.window(date(2026, 3, 29), date(2026, 3, 29))

    assert since == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert until == datetime(2026, 3, 29, 22, tzinfo=UTC)  # the day without an hour between two and three


@pytest.mark.parametrize("given", ["2026-03-01T10:30", "2026-03-01T05:00:00+00:00"])
def test_a_moment_is_itself_the_bound(given: str) -> None:
    with timezone.override("Asia/Kolkata"):
        moment = days.DayField().clean(given)

    assert days.window(moment, moment) == (datetime(2026, 3, 1, 5, tzinfo=UTC),) * 2
