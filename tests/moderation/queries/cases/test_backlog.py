"""The queue in numbers: how long cases have waited."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from moderation.models import Case, User
from moderation.models.cases import CaseState
from moderation.queries.cases import backlog
from tests.moderation.conftest import Case_

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("minutes", "bucket"), [(0, 0), (4, 0), (5, 1), (29, 1), (30, 2), (119, 2), (120, 3), (480, 4), (900, 4)]
)
def test_a_case_is_in_the_bucket_that_begins_with_its_wait(
    open_case: Case_, lead: User, at: datetime, minutes: int, bucket: int
) -> None:
    open_case()
    Case.objects.update(opened_at=at - timedelta(minutes=minutes))

    counted = backlog.overview(viewer=lead, at=at).buckets

    assert [one.index for one in counted if one.cases] == [bucket]


def waited(*, at: datetime) -> dict[float, float]:
    """Hours that the oldest had waited, by hours before `at`."""
    return {(at - age.at) / HOUR: age.oldest / HOUR for age in backlog.over_last_day(at=at)}


def set_times(case: Case, *, opened_at: datetime, closed_at: datetime | None = None) -> None:
    """Put a case into the past."""
    state = CaseState.DECIDED if closed_at else CaseState.OPEN
    Case.objects.filter(pk=case.pk).update(opened_at=opened_at, closed_at=closed_at, state=state)


def test_grows_while_a_case_waits_and_falls_when_it_is_closed(open_case: Case_, at: datetime) -> None:
    set_times(open_case(), opened_at=at - 10 * HOUR, closed_at=at - 4 * HOUR)
    set_times(open_case(), opened_at=at - 6 * HOUR)

    found = waited(at=at)

    assert len(found) == 49
    assert (found[12], found[10], found[7], found[4.5]) == (0, 0, 3, 5.5)
    assert (found[4], found[2], found[0]) == (2, 4, 6)


def test_nothing_has_waited(at: datetime) -> None:
    assert set(waited(at=at).values()) == {0}


def test_is_drawn_on_the_health_page_and_not_asked_every_ten_seconds(
    client: Client, moderator: User, open_case: Case_
) -> None:
    client.force_login(moderator)
    assert "Nothing waited." in client.get("/health/").text

    open_case()

    assert "fill--rest" in client.get("/health/").text
    assert "fill--rest" not in client.get("/health/", headers={"HX-Request": "true"}).text
