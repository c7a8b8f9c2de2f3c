"""The queue in numbers: how long cases have waited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case, User
from moderation.queries.cases import backlog


@pytest.mark.parametrize(
    ("minutes", "bucket"), [(0, 0), (4, 0), (5, 1), (29, 1), (30, 2), (119, 2), (120, 3), (480, 4), (900, 4)]
)
def test_a_case_is_in_the_bucket_that_begins_with_its_wait(
    open_case: Callable[..., Case], lead: User, at: datetime, minutes: int, bucket: int
) -> None:
    open_case()
    Case.objects.update(opened_at=at - timedelta(minutes=minutes))

    counted = backlog.overview(viewer=lead, at=at).buckets

    assert [one.index for one in counted if one.cases] == [bucket]
