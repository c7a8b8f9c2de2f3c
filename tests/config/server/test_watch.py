"""A process is replaced for what it does, not for how long something takes."""

from __future__ import annotations

from config.server.watch import STARTING_BEATS, Judge, Progress


def judge() -> Judge:
    return Judge(silent_beats=3, stalled_beats=5)


def tick(judge: Judge, times: int, *, process: int = 7, stalled: int | None = None) -> dict[int, str]:
    condemned: dict[int, str] = {}
    for _ in range(times):
        if stalled is not None:
            judge.hear(process, stalled=stalled)
        condemned = judge.tick([process])
    return condemned


class TestJudge:
    def test_leaves_a_process_that_beats_alone(self) -> None:
        assert tick(judge(), 50, stalled=4) == {}

    def test_condemns_one_that_has_fallen_silent(self) -> None:
        one = judge()
        tick(one, 1, stalled=0)

        assert tick(one, 2) == {}
        assert tick(one, 1) == {7: "does not run"}

    def test_condemns_one_that_finishes_nothing(self) -> None:
        assert tick(judge(), 1, stalled=5) == {7: "finishes no request"}

    def test_lets_one_start_for_long(self) -> None:
        one = judge()

        assert tick(one, STARTING_BEATS) == {}
        assert tick(one, 1) == {7: "does not start"}

    def test_begins_anew_with_the_process_that_took_its_place(self) -> None:
        one = judge()
        tick(one, 1, stalled=0)
        tick(one, 3)

        assert tick(one, 3, process=8) == {}


def test_progress_stalls_only_while_something_runs_and_nothing_is_finished() -> None:
    progress = Progress()
    seen = []
    for step in (progress.begin, int, int, progress.finish, int, progress.begin):
        step()
        progress.beat()
        seen.append(progress.stalled_beats)

    assert seen == [1, 2, 3, 0, 0, 1]
