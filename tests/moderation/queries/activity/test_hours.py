"""Periods of the calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from moderation.queries.activity import hours
from moderation.queries.activity.hours import Span


@pytest.mark.parametrize(
    ("span", "start", "end", "steps"),
    [
        (Span.DAY, (2026, 2, 25), (2026, 2, 26), 24),
        (Span.WEEK, (2026, 2, 23), (2026, 3, 2), 7),
        (Span.MONTH, (2026, 2, 1), (2026, 3, 1), 28),
    ],
)
def test_a_period_holds_its_day(
    span: Span, start: tuple[int, int, int], end: tuple[int, int, int], steps: int
) -> None:
    period = hours.period(span=span, day=date(2026, 2, 25))

    assert (period.start, period.end) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))
    assert len(period.steps) == steps
    assert period.steps[-1] + period.step == period.end


@pytest.mark.parametrize("span", list(Span))
def test_periods_follow_one_another(span: Span) -> None:
    period = hours.period(span=span, day=date(2026, 1, 31))

    assert hours.period(span=span, day=period.after).start == period.end
    assert hours.period(span=span, day=period.before).end == period.start
