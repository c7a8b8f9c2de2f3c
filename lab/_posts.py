"""Simulated posts, as the API takes them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from simulation.events import PostEvent
from simulation.texts import Families
from simulation.world import World


def payloads(
    *,
    run: str,
    seed: int,
    count: int,
    seconds_per_post: float,
    begun: timedelta = timedelta(days=1),
    texts: Families = Families.TRAIN,
) -> Iterator[dict[str, Any]]:
    """Yield so many, so far apart; the first was written so long ago. Ids begin with `run`."""
    world = World(seed=seed, run=run, texts=texts)
    start = datetime.now(UTC) - begun
    for event in world.run(start=start, seconds_per_post=seconds_per_post, posts=count):
        if isinstance(event, PostEvent):
            yield event.payload
