"""One world for the tests that only look at it; building it takes a second."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from moderation.simulation.events import Event, PostEvent
from moderation.simulation.world import World

START = datetime(2026, 10, 1, tzinfo=UTC)


def events_of(*, seed: int = 7, posts: int = 6000, run: str = "sim-t") -> list[Event]:
    """Return a world's events, late complaints included."""
    world = World(seed=seed, run=run)
    return [*world.run(start=START, seconds_per_post=200, posts=posts), *world.complaints_due()]


@pytest.fixture(scope="session")
def events() -> list[Event]:
    """Return the events of one world of 6,000 posts."""
    return events_of()


@pytest.fixture(scope="session")
def posts(events: list[Event]) -> list[PostEvent]:
    """Return that world's posts."""
    return [event for event in events if isinstance(event, PostEvent)]
