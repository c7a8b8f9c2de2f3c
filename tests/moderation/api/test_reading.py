"""The short way of reading a post reads what the serializer reads. What it must refuse: test_bad_posts.py."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from moderation.api.serializers import reading
from moderation.simulation.events import PostEvent
from moderation.simulation.world import World

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def payloads() -> list[dict[str, Any]]:
    events = World(seed=11, run="reading").run(start=START, seconds_per_post=1, posts=300)
    return [json.loads(json.dumps(event.payload)) for event in events if isinstance(event, PostEvent)]


class TestPlain:
    def test_reads_a_simulated_world_as_the_serializer_does(self, payloads: list[dict[str, Any]]) -> None:
        short = [reading.plain(payload, platform="reading") for payload in payloads]

        assert short == [reading.careful(payload, platform="reading") for payload in payloads]

    @pytest.mark.parametrize(
        ("field", "value"),
        [("shares", 5.0), ("note", None), ("language", None), ("revision", True), ("links", [""])],
    )
    def test_leaves_what_is_not_plain_to_the_serializer(
        self, payloads: list[dict[str, Any]], field: str, value: object
    ) -> None:
        changed = payloads[0] | {field: value}

        found = reading.plain(changed, platform="reading")

        assert (found is None) is (field != "language")
