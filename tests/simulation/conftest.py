"""Worlds for the tests that only look at them; building one takes a second."""

import pytest

from simulation.events import Event, PostEvent
from simulation.world import World
from tests.moderation.conftest import _transactions_of_the_product  # noqa: F401 - a fixture
from tests.simulation.seen import START, Seen, worlds


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


@pytest.fixture(scope="session")
def seen() -> Seen:
    """Return eight worlds of 2,500 posts, four on each network."""
    return worlds(range(8))
