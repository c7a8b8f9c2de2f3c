"""A simulated week of the review route, of which people decide two fifths, by the lanes."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from moderation.models.cases import Lane
from moderation.operations.cases import lanes
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import Load, Mix

DAYS, ARRIVALS, DECIDED = 7, 300, 120
_BEGIN = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass
class Week:
    """Every post with its truth and the draw's chance; what was decided at the end, and by chance."""

    is_spam: list[bool] = field(default_factory=list)
    chance: list[float] = field(default_factory=list)
    is_drawn: list[bool] = field(default_factory=list)
    decided: list[int] = field(default_factory=list)

    def column(self, values: list[bool] | list[float]) -> np.ndarray:
        return np.asarray(values, dtype=float)[self.decided]


class Queue:
    """The waiting posts, in the orders of the lanes, as `lanes` restricts them."""

    def __init__(self, week: Week) -> None:
        self._week = week
        self._heaps: dict[Lane, list[tuple[float, int]]] = {lane: [] for lane in Lane}
        self._done: set[int] = set()

    def add(self, post: int, *, harm: float, doubt: float, is_first: bool) -> None:
        is_drawn = self._week.is_drawn[post]
        places = {Lane.OLDEST: float(post)}
        if is_drawn:
            places[Lane.AUDIT] = float(post)
        else:
            places |= {Lane.HARM: -harm, Lane.UNCERTAINTY: -doubt}
            if is_first:
                places[Lane.DIVERSITY] = -harm
        for lane, place in places.items():
            heapq.heappush(self._heaps[lane], (place, post))

    def take(self, lane: Lane) -> bool:
        heap = self._heaps[lane]
        while heap:
            _, post = heapq.heappop(heap)
            if post not in self._done:
                self._done.add(post)
                self._week.decided.append(post)
                return True
        return False

    @property
    def drawn_waiting(self) -> int:
        return sum(post not in self._done for _, post in self._heaps[Lane.AUDIT])


def simulated(seed: int, mix: Mix) -> Week:
    """Harm follows the score, and the score tells spam: what comes first by harm is mostly spam."""
    rng, week = np.random.default_rng(seed), Week()
    queue = Queue(week)
    for day in range(DAYS):
        load = Load(decisions=DECIDED, review_posts=ARRIVALS, audit_cases=0, waiting=queue.drawn_waiting)
        chance = queue_mix.chance_of(share=mix.audit / 100, load=load) if mix.audit else 1.0
        arrivals = _arrivals(rng)
        for number in range(DECIDED):
            for _ in range(ARRIVALS // DECIDED + (number % 2)):
                _arrive(
                    week,
                    queue,
                    next(arrivals),
                    chance=chance,
                    is_drawn=bool(mix.audit and rng.random() < chance),
                )
            at = _BEGIN + timedelta(days=day, minutes=4 * number)
            lane, _ = lanes.drawn(mix, moderator_id=seed, at=at, place=0)
            queue.take(lane) or queue.take(Lane.HARM) or queue.take(Lane.OLDEST)
    return week


def _arrivals(rng: np.random.Generator) -> Iterator[tuple[float, float, bool, bool]]:
    """Yield harm, doubt, whether it is the first of its campaign, and the truth."""
    while True:
        probability = rng.beta(1.5, 2.5)
        is_spam = rng.random() < probability**1.5  # the scores are too high: no figure may rest on them
        harm = probability * (1 + rng.lognormal())
        yield harm, 1 - abs(2 * probability - 1), bool(rng.random() < 0.8), bool(is_spam)


def _arrive(
    week: Week, queue: Queue, post: tuple[float, float, bool, bool], *, chance: float, is_drawn: bool
) -> None:
    harm, doubt, is_first, is_spam = post
    week.is_spam.append(is_spam)
    week.chance.append(chance)
    week.is_drawn.append(is_drawn)
    queue.add(len(week.is_spam) - 1, harm=harm, doubt=doubt, is_first=is_first)
