"""Periods of days, by hours that are counted in UTC."""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest

from moderation.queries.activity import hours
from moderation.queries.activity.hours import DAY, HOUR

BERLIN, KOLKATA = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")


class TestPeriods:
    @pytest.mark.parametrize(
        ("days", "zone", "start", "end", "steps"),
        [
            ((25, 25), UTC, (2, 25, 0), (2, 26, 0), 24),
            ((25, 26), UTC, (2, 25, 0), (2, 27, 0), 48),
            ((22, 28), UTC, (2, 22, 0), (3, 1, 0), 7),
            ((25, 25), BERLIN, (2, 24, 23), (2, 25, 23), 24),
            # Midnight is half past an hour that is counted as one: it belongs to the day that it began in.
            ((25, 25), KOLKATA, (2, 24, 19), (2, 25, 19), 24),
            ((22, 28), KOLKATA, (2, 21, 19), (2, 28, 19), 7),
        ],
    )
    def test_holds_whole_days_of_a_place(
        self,
        days: tuple[int, int],
        zone: tzinfo,
        start: tuple[int, int, int],
        end: tuple[int, int, int],
        steps: int,
    ) -> None:
        first, last = (date(2026, 2, day) for day in days)

        period = hours.period(first=first, last=last, zone=zone)

        assert (period.start, period.end) == (
            datetime(2026, *start, tzinfo=UTC),
            datetime(2026, *end, tzinfo=UTC),
        )
        assert len(period.steps) == steps

    @pytest.mark.parametrize(("day", "number"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
    def test_a_day_on_which_clocks_change_has_its_own_hours(self, day: date, number: int) -> None:
        one = hours.period(first=day, last=day, zone=BERLIN)
        week = hours.period(first=day - 6 * DAY, last=day, zone=BERLIN)

        assert len(one.steps) == number
        assert {end - start for start, end in one.steps} == {HOUR}
        assert [(end - start) // HOUR for start, end in week.steps] == [24] * 6 + [number]

    def test_the_last_24_hours_end_with_the_present_one(self) -> None:
        period = hours.last_hours(at=datetime(2026, 2, 25, 0, 4, tzinfo=UTC), zone=BERLIN)

        assert (period.start, period.end) == (
            datetime(2026, 2, 24, 1, tzinfo=UTC),
            datetime(2026, 2, 25, 1, tzinfo=UTC),
        )
        assert (len(period.steps), period.last) == (24, date(2026, 2, 25))
        assert period.before == (date(2026, 2, 24),) * 2

    @pytest.mark.parametrize("number", [1, 2, 7, 31])
    def test_periods_follow_one_another(self, number: int) -> None:
        last = date(2026, 4, 2)
        period = hours.period(first=last - (number - 1) * DAY, last=last, zone=BERLIN)
        before, after = (
            hours.period(first=first, last=last, zone=BERLIN) for first, last in (period.before, period.after)
        )

        assert (before.end, after.start) == (period.start, period.end)
        assert {(one.last - one.first).days for one in (before, after)} == {number - 1}
