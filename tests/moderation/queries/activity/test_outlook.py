"""The queue now, and where it is going."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case, Platform
from moderation.models.cases import CaseState
from moderation.operations.webhooks import endpoints
from moderation.queries.activity import outlook
from tests.moderation.conftest import Case_

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def timed(open_case: Case_) -> Callable[..., None]:
    """Make cases opened and closed at such times."""

    def make(*, opened_at: datetime, closed_at: datetime | None = None) -> None:
        state = CaseState.DECIDED if closed_at else CaseState.OPEN
        rows = Case.objects.filter(pk=open_case().pk)
        rows.update(opened_at=opened_at, closed_at=closed_at, state=state)

    return make


def test_counts_what_waits_and_what_was_opened_and_closed_today(
    timed: Callable[..., None], at: datetime
) -> None:
    timed(opened_at=at - 20 * HOUR)
    timed(opened_at=at - 2 * HOUR)
    timed(opened_at=at - 20 * HOUR, closed_at=at - HOUR)
    timed(opened_at=at - 3 * HOUR, closed_at=at - HOUR)
    timed(opened_at=at - 20 * HOUR, closed_at=at - 13 * HOUR)

    found = outlook.outlook(at=at)

    assert (found.waiting, found.oldest_at) == (2, at - 20 * HOUR)
    assert (found.opened, found.closed, found.since) == (2, 2, at - 12 * HOUR)


def test_says_when_the_queue_is_empty_at_this_pace(timed: Callable[..., None], at: datetime) -> None:
    timed(opened_at=at - 20 * HOUR)
    for _ in range(3):
        timed(opened_at=at - 20 * HOUR, closed_at=at - HOUR)

    found = outlook.outlook(at=at)

    assert found.gain_per_hour == 3 / 12
    assert found.empty_in == timedelta(hours=4)


def test_a_queue_that_grows_is_never_empty(timed: Callable[..., None], at: datetime) -> None:
    timed(opened_at=at - HOUR)

    found = outlook.outlook(at=at)

    assert found.empty_in is None
    assert found.growth_per_hour == 1 / 12


def test_shortly_after_midnight_looks_at_three_hours(at: datetime) -> None:
    midnight = at.replace(hour=0)

    assert outlook.outlook(at=midnight + HOUR).since == midnight - 2 * HOUR


def test_failures_are_those_that_nobody_tries_again(platform: Platform, at: datetime) -> None:
    endpoint, _ = endpoints.add(platform=platform, url="https://hook.example/", at=at)
    for state in ("failed", "waiting", "delivered"):
        endpoint.deliveries.create(
            platform=platform, event="case.opened", body={}, state=state, created_at=at, next_attempt_at=at
        )

    assert outlook.failures().given_up == 1
