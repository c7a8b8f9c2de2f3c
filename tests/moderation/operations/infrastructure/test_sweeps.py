"""Sweeps run once per period, however many messages ask for them, and say when they ran."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings

import moderation.tasks  # noqa: F401 - registers the tasks
from config.celery import app
from moderation.models import SweepRun
from moderation.operations.infrastructure import sweeps
from moderation.queries.health import processes
from tests.moderation.instants import AT, later

pytestmark = pytest.mark.django_db


@pytest.fixture
def ran() -> list[datetime]:
    return []


@pytest.fixture
def sweep(ran: list[datetime]) -> Callable[..., int]:
    def run(at: datetime, name: str = "seal_audit") -> int:
        def work() -> int:
            ran.append(at)
            return 1

        return sweeps.run(sweep=name, work=work, at=at)

    return run


def test_the_next_message_in_time_is_the_next_run(sweep: Callable[..., int], ran: list[datetime]) -> None:
    for seconds in (0, 0.1, 4.8, 10.1, 10.2, 15):
        sweep(later(seconds))

    assert len(ran) == 4


def test_a_rare_one_runs_no_more_often_for_being_asked_more_often(
    sweep: Callable[..., int], ran: list[datetime]
) -> None:
    for seconds in range(0, 600, 30):
        sweep(later(seconds), "erase_expired")

    assert ran == [later(0), later(300)]


def test_two_do_not_run_side_by_side() -> None:
    inner: list[int] = []

    def work() -> int:
        inner.append(sweeps.run(sweep="seal_audit", work=lambda: 7, at=later(20)))
        return 1

    assert sweeps.run(sweep="seal_audit", work=work, at=later(0)) == 1
    assert inner == [0]


def test_one_whose_worker_was_killed_runs_next_time(sweep: Callable[..., int], ran: list[datetime]) -> None:
    SweepRun.objects.create(sweep="seal_audit", started_at=later(0))

    sweep(later(50))
    sweep(later(61))

    assert ran == [later(61)]


def test_a_clock_set_back_stops_nothing(sweep: Callable[..., int], ran: list[datetime]) -> None:
    sweep(later(3_600))
    sweep(later(0))
    sweep(later(6))

    assert len(ran) == 3


def test_a_failure_is_late_and_does_not_stop_the_next(sweep: Callable[..., int]) -> None:
    def fail() -> int:
        raise OSError("the disk is full")

    sweep(later(0))
    with pytest.raises(OSError, match="full"):
        sweeps.run(sweep="seal_audit", work=fail, at=later(60))

    [row] = [row for row in processes.sweeps(at=later(60)) if row.name == "seal_audit"]
    assert row.is_late
    assert (row.age(at=later(60)) or timedelta(0)) > timedelta(seconds=59)
    assert sweep(later(65)) == 1


def test_what_never_ran_is_late_where_it_is_frequent() -> None:
    late = {row.name for row in processes.sweeps(at=AT) if row.is_late}

    assert {"sweep_scoring", "seal_audit", "journal_erasures"} <= late
    assert "prune_answers" not in late


@pytest.mark.parametrize("name", settings.SWEEP_SECONDS)
def test_every_scheduled_task_notes_that_it_ran(name: str) -> None:
    app.loader.import_default_modules()
    app.tasks[settings.CELERY_BEAT_SCHEDULE[name.replace("_", "-")]["task"]]()

    assert SweepRun.objects.get(sweep=name).succeeded_at is not None


def test_one_that_fails_stops_none_that_were_asked_for_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"moderation.tasks.{name}" for name in ("seal_audit", "sweep_exports")]
    monkeypatch.setattr(app.tasks[names[0]], "run", lambda **_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        app.tasks["moderation.tasks.run_sweeps"](names=names)

    assert SweepRun.objects.get(sweep="sweep_exports").succeeded_at is not None
