"""What the simulator shows of chosen thresholds, on its page and in the API: beside the live and the cheapest
ones, by where removal begins, the promise that removal keeps, and the posts that would go another way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from moderation.queries.learning import case_time, dry_run, simulation, traffic
from moderation.queries.learning.case_time import CaseTime
from moderation.queries.learning.dry_run import DryRun
from moderation.queries.learning.simulation import Basis, Costs, Point
from moderation.queries.learning.traffic import Subject, Thresholds

_REMOVALS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Thresholds side by side; `cheapest` is None where no cost is known.

    `curve` has the chosen thresholds with other beginnings of removal. `promised_from` is the lowest removal
    threshold of `simulation.GRID` that keeps the promised precision, None if none is proved.
    """

    basis: Basis
    time: CaseTime
    live: Point
    chosen: Point
    cheapest: Point | None
    curve: tuple[Point, ...]
    promised_from: float | None
    dry_run: DryRun


def simulate(
    about: Subject, *, wanted: Thresholds, days: int, costs: Costs, precision: float, at: datetime
) -> Simulation:
    """Simulate thresholds on the labels of the last `days`; `precision` is what removal promises."""
    labels, time = simulation.sample(about, days=days, at=at), case_time.case_time(at=at)
    basis = Basis(labels=labels, counted=traffic.traffic(about, at=at), seconds=time.seconds, costs=costs)
    cheapest = simulation.cheapest(wanted, basis=basis)
    return Simulation(
        basis=basis,
        time=time,
        live=simulation.point(about.thresholds, basis=basis),
        chosen=simulation.point(wanted, basis=basis),
        cheapest=simulation.point(cheapest, basis=basis) if cheapest else None,
        curve=tuple(_curve(wanted, basis=basis)),
        promised_from=simulation.keeps_promise(labels, precision=precision),
        dry_run=dry_run.count(about, wanted=wanted, at=at),
    )


def _curve(wanted: Thresholds, *, basis: Basis) -> list[Point]:
    steps = sorted({*(one for one in _REMOVALS if one >= wanted.review_from), wanted.remove_from})
    return [simulation.point(replace(wanted, remove_from=one), basis=basis) for one in steps]
