"""What `bench gpu` makes of what its workers and clients report; no GPU is needed for that."""

from __future__ import annotations

import numpy as np
import pytest

from lab._gpu import load, timing, worker


def test_the_middle_turn_counts() -> None:
    turns = [{"p50_ms": p50, "p95_ms": 2 * p50, "calls": 10} for p50 in (3.0, 1.0, 2.0)]

    found = timing.summed_up(turns)

    assert found == {"p50_ms": 2.0, "p95_ms": 4.0, "least_p50_ms": 1.0, "most_p50_ms": 3.0, "calls": 30}


def test_several_clients_count_from_the_first_begin_to_the_last_end() -> None:
    reports = [
        {
            "latencies": [0.01] * 50,
            "started": begin,
            "ended": begin + 4,
            "calls_per_second": 12.5,
            "client_cpu_seconds": 1.0,
        }
        for begin in (100.0, 101.0)
    ]

    found = load.summed_up(reports)

    assert found["texts_per_second"] == pytest.approx(20)
    assert found["p50_ms"] == pytest.approx(10)
    assert found["client_cpu_seconds"] == 2


def test_a_form_is_timed_with_rows_of_the_wanted_shape() -> None:
    seen = set()

    def run(arrays: worker.Arrays) -> dict[str, np.ndarray]:
        seen.add(arrays["input_ids"].shape)
        return {}

    found = worker.timed(run, rows=2, tokens=16, seconds=0.01)

    assert seen == {(2, 16)}
    assert found["calls"] > 0
