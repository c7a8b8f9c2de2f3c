"""A pytest plugin: which tests `make test` runs, which `make test-whole` adds, and how long each took.

`make test` leaves out folders of tests that start processes, train or build (WHOLE), tests marked `whole`,
and most rows of those marked `drawn`. In these folders `@pytest.mark.gate` keeps a test: one browser journey
for each promise, one kill for each kind of worker. `make test-whole` runs what `make test` leaves out.
"""

import gc
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from deploy.local.places import ROOT, State

WHOLE = (
    "tests/browser",
    "tests/deploy",
    "tests/faults",
    "tests/lab",
    "tests/moderation/management",
    "tests/simulation",
    "tests/training",
    "tests/triton",
)
"""Folders of which `make test` runs only what is marked `gate`."""

GATE, REST = "gate", "rest"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which `make test` and `make test-whole` share the tests; without it all run."""
    parser.addoption("--lane", choices=(GATE, REST), help=f"{GATE}: what `make test` runs; {REST}: the rest")


def pytest_configure(config: pytest.Config) -> None:
    """Keep times in the process that hears of all tests."""
    if config.getoption("lane") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Times(config.getoption("lane")), "log of durations")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the other lane's tests out, and order the rest."""
    if lane := config.getoption("lane"):
        gate = _of_gate(items, seed=config.getoption("randomly_seed", 0))
        # Of a test whose rows are drawn for the gate, the other lane walks all.
        chosen = gate if lane == GATE else {item for item in items if item not in gate or _rows(item)}
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    _order(items)


def _of_gate(items: Iterable[pytest.Item], *, seed: int) -> set[pytest.Item]:
    """Return what `make test` runs. The workers of xdist share a seed, and so draw the same rows."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not _is_whole(item):
            tests[item.nodeid.partition("[")[0]].append(item)
    chosen: set[pytest.Item] = set()
    for name, rows in tests.items():
        count = _rows(rows[0]) or len(rows)
        rows.sort(key=lambda item: item.nodeid)
        chosen.update(random.Random(f"{seed} {name}").sample(rows, min(count, len(rows))))
    return chosen


def _is_whole(item: pytest.Item) -> bool:
    if item.get_closest_marker("whole"):
        return True
    path = item.path.relative_to(ROOT)
    return any(path.is_relative_to(folder) for folder in WHOLE) and not item.get_closest_marker("gate")


def _rows(item: pytest.Item) -> int:
    """Return how many rows of its test the gate draws; 0 if it takes all."""
    mark = item.get_closest_marker("drawn")
    return int(mark.args[0]) if mark else 0


def _order(items: list[pytest.Item]) -> None:
    """Begin with the tests that may take longest, so that none of them is left to one worker in the end.

    Of those that may take as long, the files of a folder follow one another: they share what they start.
    """
    places: dict[Path, int] = {}
    for item in items:
        for path in (item.path.parent, item.path):
            places.setdefault(path, len(places))
    items.sort(
        key=lambda item: (
            -_allowed_seconds(item),
            places[item.path.parent],
            places[item.path],
            item.get_closest_marker("last") is not None,
        )
    )


def _allowed_seconds(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


def pytest_collection_finish() -> None:
    """Keep all that was imported and collected out of the garbage collector, which would walk it often."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)  # a twentieth of the time of a test was the collector's
    gc.enable()


class _Times:
    """Adds up the seconds of set-up, call and tear-down of each test, and writes them at the end."""

    def __init__(self, lane: str) -> None:
        self._lane = lane
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a part."""
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write .state/durations/LANE.tsv, the slowest first: seconds, a tab, the test."""
        ordered = sorted(self._seconds.items(), key=lambda one: -one[1])
        log = State(ROOT / ".state").folder("durations") / f"{self._lane}.tsv"
        log.write_text("".join(f"{seconds:.2f}\t{test}\n" for test, seconds in ordered), encoding="utf-8")
