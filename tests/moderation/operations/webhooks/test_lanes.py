"""How many calls at once an endpoint and a platform may have."""

from __future__ import annotations

import pytest

from moderation.operations.webhooks.lanes import Lanes

pytestmark = pytest.mark.django_db


class TestLanes:
    def test_suspects_leave_places_for_the_others(self) -> None:
        lanes = Lanes(suspects=1, per_platform=9)
        with lanes.place(platform_id=1, is_suspect=True) as first:
            with lanes.place(platform_id=2, is_suspect=True) as second:
                assert (first, second) == (True, False)
            with lanes.place(platform_id=2, is_suspect=False) as third:
                assert third
        with lanes.place(platform_id=2, is_suspect=True) as again:
            assert again

    def test_a_platform_has_its_share(self) -> None:
        lanes = Lanes(suspects=9, per_platform=1)
        with lanes.place(platform_id=1, is_suspect=False):
            with lanes.place(platform_id=1, is_suspect=False) as second:
                assert not second
            with lanes.place(platform_id=2, is_suspect=False) as other:
                assert other
