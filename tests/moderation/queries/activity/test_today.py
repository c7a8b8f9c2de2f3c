"""What a period saw, from counted hours."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from moderation.models import HourlyCount
from moderation.models.activity import Measure
from moderation.queries.activity import hours, today
from moderation.queries.activity.hours import Span
from tests.moderation.conftest import Post_

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DATE = date(2026, 3, 1)


def count(hour: datetime, number: int, measure: Measure = Measure.POSTS) -> None:
    HourlyCount.objects.create(hour=hour, measure=measure, number=number, counted_at=hour + HOUR)


def sheet(at: datetime, span: Span = Span.DAY) -> today.Sheet:
    return today.sheet(period=hours.period(span=span, day=DATE), at=at)


class TestSteps:
    def test_a_day_has_a_number_for_each_counted_hour(self, at: datetime) -> None:
        count(at - HOUR, 7)
        count(at, 3)

        found = sheet(at).steps

        assert [step.counts[Measure.POSTS] for step in found if step.counts] == [7, 3]
        assert [step.is_whole for step in found if step.counts] == [True, False]

    def test_a_month_has_sums_of_its_days(self, at: datetime) -> None:
        for hour in range(24):
            count(at.replace(hour=0) + hour * HOUR, 2)

        found = sheet(at + DAY, Span.MONTH)

        assert found.steps[0].counts is not None
        assert found.steps[0].counts[Measure.POSTS] == 48
        assert found.steps[0].is_whole
        assert found.steps[1].counts is None
        assert found.totals[Measure.POSTS] == 48

    def test_hours_of_the_week_before_count_for_nothing(self, at: datetime) -> None:
        count(at - DAY, 9)

        assert sheet(at).totals[Measure.POSTS] == 0

    def test_hours_since_the_first_post_that_nobody_counted_are_missing(
        self, post: Post_, at: datetime
    ) -> None:
        post(at=at - 3 * HOUR)
        count(at - 2 * HOUR, 1)

        assert sheet(at).missing == 2

    def test_nothing_is_missing_before_the_first_post(self, at: datetime) -> None:
        assert sheet(at).missing == 0


class TestSpikes:
    @pytest.mark.parametrize(
        ("usual", "number", "is_spike"),
        [(100, 300, True), (100, 299, False), (5, 35, True), (5, 34, False), (0, 30, True), (0, 29, False)],
    )
    def test_are_far_above_the_same_hour_of_the_days_before(
        self, at: datetime, usual: int, number: int, is_spike: bool
    ) -> None:
        for days in (1, 2, 3, 7):
            count(at - days * DAY, usual)
        count(at, number)

        assert bool(sheet(at).spikes) is is_spike

    def test_one_wild_day_before_makes_nothing_usual(self, at: datetime) -> None:
        for days, number in ((1, 10), (2, 10), (3, 5_000)):
            count(at - days * DAY, number)
        count(at, 100)

        [spike] = sheet(at).spikes

        assert (spike.hour, spike.number, spike.usual) == (at, 100, 10)

    def test_need_three_counted_days(self, at: datetime) -> None:
        for days in (1, 2, 8):
            count(at - days * DAY, 1)
        count(at, 1_000)

        assert sheet(at).spikes == ()

    def test_are_looked_for_among_removals_too(self, at: datetime) -> None:
        for days in (1, 2, 3):
            count(at - days * DAY, 1_000)
        count(at, 1_000)
        count(at, 60, Measure.FILTER_SPAM)

        assert [spike.measure for spike in sheet(at).spikes] == [Measure.FILTER_SPAM]

    def test_are_found_in_a_month(self, at: datetime) -> None:
        for days in (1, 2, 3):
            count(at - days * DAY, 1)
        count(at, 500)

        assert [spike.hour for spike in sheet(at, Span.MONTH).spikes] == [at]
