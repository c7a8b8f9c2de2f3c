"""What every message and answer writes alike."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from moderation.queries import wire


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (datetime(2026, 3, 1, tzinfo=UTC), "2026-03-01T00:00:00Z"),
        (datetime(2026, 3, 1, 1, 2, 3, 4, tzinfo=UTC), "2026-03-01T01:02:03.000004Z"),
        (datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=2))), "2026-03-01T00:00:00+02:00"),
    ],
)
def test_an_instant_says_its_offset(moment: datetime, written: str) -> None:
    assert wire.instant(moment) == written
