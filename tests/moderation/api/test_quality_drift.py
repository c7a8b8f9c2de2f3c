"""Alarms of drift, through the api."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from rest_framework.test import APIClient

from moderation.models import Case, DriftAlarm
from tests.moderation.api.answers import problem


@pytest.fixture
def alarms(open_case: Callable[..., Case], at: datetime) -> list[DriftAlarm]:
    platform = open_case().post.platform
    return [
        DriftAlarm.objects.create(
            platform=platform,
            raised_at=at + timedelta(hours=number),
            seen_at=at + timedelta(hours=number),
            posts=number,
            all_posts=10,
            traits=[],
            slices=[],
            mean_probability=0.1,
            sample=[],
        )
        for number in range(3)
    ]


def test_answers_alarms_of_the_own_platform(
    lead_api: APIClient, other_api: APIClient, alarms: list[DriftAlarm]
) -> None:
    own = lead_api.get("/api/v1/metrics/drift").json()["data"]

    assert [row["posts"] for row in own] == [2, 1, 0]
    assert other_api.get("/api/v1/metrics/drift").json()["data"] == []


def test_goes_on_where_a_page_ended(lead_api: APIClient, alarms: list[DriftAlarm]) -> None:
    first = lead_api.get("/api/v1/metrics/drift?limit=2").json()

    second = lead_api.get(f"/api/v1/metrics/drift?limit=2&cursor={first['next_cursor']}").json()

    assert [row["posts"] for row in second["data"]] == [0]
    assert second["next_cursor"] is None


def test_names_a_wrong_cursor(lead_api: APIClient) -> None:
    problem(lead_api.get("/api/v1/metrics/drift?cursor=x"), status=422, code="invalid_fields")
