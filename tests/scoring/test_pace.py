"""Sizes follow the seconds that each thing took."""

from scoring.pace import Pace


def test_halves_after_a_time_limit_down_to_one_and_grows_again() -> None:
    pace = Pace(seconds=1.0, first=16, most=16)
    sizes = []
    for _ in range(6):
        pace.timed_out()
        sizes.append(pace.size())
    for _ in range(12):
        pace.took(pace.size(), seconds=0.01)

    assert sizes == [8, 4, 2, 1, 1, 1]
    assert pace.size() == 16


def test_takes_one_where_each_takes_longer_than_the_whole() -> None:
    pace = Pace(seconds=1.0, first=16, most=16)
    for _ in range(16):
        pace.took(pace.size(), seconds=100.0)
    pace.timed_out()

    assert pace.size() == 1
    assert pace.expected(1) > 50


def test_one_slow_start_halves_at_most() -> None:
    pace = Pace(seconds=1.0, first=16, most=16)
    pace.took(1, seconds=5.0)

    assert pace.size() == 8
