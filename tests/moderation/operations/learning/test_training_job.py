"""Trial. Promise: a training run whose worker dies is taken up again, or says why it was not.

The process here prints what next_release prints and copies a candidate; next_release has tests of its own.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from pytest_django import Settings

from deploy.local.places import ROOT
from moderation import scorer
from moderation.models import AuditEntry, TrainingRun, User
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.operations.learning import training_job, training_process, training_runs
from moderation.operations.learning.training_process import TrainingProcess
from scoring.release import Release
from tests import releases
from tests.moderation.instants import later
from tests.scoring.starter import STARTER

pytestmark = pytest.mark.django_db

Says = Callable[..., None]
THRESHOLDS = {"review_from": 0.2, "remove_from": 0.97, "audit_rate": 0.02}
_CANDIDATE = """
import pathlib, shutil, sys
out, made = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
print("labels …", flush=True)
(out / "labels.jsonl").write_text("the words of a post")
print("heads …\\nheads: 1 s", flush=True)
shutil.copytree(made / "candidate", out / "candidate", dirs_exist_ok=True)
shutil.copytree(made / "report", out / "report", dirs_exist_ok=True)
print("evaluate …", flush=True)
"""


@pytest.fixture
def folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.LEARNING_DIR = tmp_path / "learning"
    settings.RELEASES_DIR = tmp_path / "releases"
    monkeypatch.setattr(training_job, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(training_job, "install_command", lambda: None)
    return tmp_path / "learning"


@pytest.fixture
def made(tmp_path: Path) -> Release:
    """A candidate and its report, as evaluate writes it."""
    candidate = releases.release(tmp_path / "made" / "candidate", thresholds=THRESHOLDS)
    report = releases.report(candidate=candidate, live=Release.load(STARTER))
    (tmp_path / "made" / "report").mkdir()
    (tmp_path / "made" / "report" / "report.json").write_text(json.dumps(report))
    return candidate


@pytest.fixture
def process_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Says:
    """Let the process of a run be this program."""

    def runs(program: str) -> None:
        def command(*, folder: Path, **_: object) -> list[str]:
            return [sys.executable, "-c", program, str(folder), str(tmp_path / "made")]

        monkeypatch.setattr(training_job, "next_release_command", command)

    return runs


@pytest.fixture
def asked(decided_posts: None, lead: User, folder: Path) -> TrainingRun:
    return training_runs.request(requested_by=lead, at=later(50))


def run(asked: TrainingRun, *, at: datetime) -> None:
    training_job.run(run_id=asked.pk, at=at)
    asked.refresh_from_db()


class TestRun:
    def test_ends_in_a_candidate_with_its_report(
        self, asked: TrainingRun, made: Release, process_runs: Says, folder: Path
    ) -> None:
        process_runs(_CANDIDATE)

        run(asked, at=later(51))

        assert (asked.state, asked.error) == (TrainingState.READY, "")
        assert (asked.candidate, asked.live) == (made.id, Release.load(STARTER).id)
        assert asked.findings
        assert "evaluate …" in asked.log
        assert asked.manifest == made.manifest
        assert AuditEntry.objects.filter(action="training.ready").exists()
        assert scorer.kept(made.id).manifest == made.manifest
        assert not list(folder.rglob("labels.jsonl*"))

    def test_that_fails_keeps_the_end_of_its_log(self, asked: TrainingRun, process_runs: Says) -> None:
        process_runs("print('too few labels', flush=True); raise SystemExit(1)")

        run(asked, at=later(51))

        assert asked.state == TrainingState.FAILED
        assert "too few labels" in asked.log
        assert asked.error.endswith("says why.")

    def test_whose_result_cannot_be_read_fails_by_name(self, asked: TrainingRun, process_runs: Says) -> None:
        process_runs("pass")

        run(asked, at=later(51))

        assert (asked.state, asked.candidate) == (TrainingState.FAILED, "")
        assert "Corrupt" in asked.error

    def test_needs_training_packages(
        self, asked: TrainingRun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(training_job, "install_command", training_process.install_command)
        monkeypatch.setattr(training_process, "_NEEDED", ("a_package_that_nobody_has",))
        monkeypatch.setattr(training_process, "_INSTALLER", tmp_path / "nowhere.py")

        run(asked, at=later(51))

        assert asked.state == TrainingState.FAILED
        assert "a_package_that_nobody_has" in asked.error

    def test_is_not_begun_twice(self, asked: TrainingRun, process_runs: Says) -> None:
        TrainingRun.objects.update(state=TrainingState.RUNNING, attempts=1, lease_until=later(100))
        process_runs("raise SystemExit(1)")

        run(asked, at=later(60))

        assert (asked.state, asked.attempts) == (TrainingState.RUNNING, 1)


class TestInterrupted:
    def test_takes_up_a_dead_workers_run(self, asked: TrainingRun, made: Release, process_runs: Says) -> None:
        TrainingRun.objects.update(
            state=TrainingState.RUNNING, attempts=1, lease_until=later(100), step=TrainingStep.HEADS
        )
        process_runs(_CANDIDATE)

        early, due = training_job.sweep(at=later(99)), training_job.sweep(at=later(101))
        run(asked, at=later(102))

        assert (early, due) == (0, 1)
        assert (asked.state, asked.attempts, asked.candidate) == (TrainingState.READY, 2, made.id)

    def test_a_lost_database_ends_no_run(self, asked: TrainingRun, process_runs: Says) -> None:
        process_runs("import os; raise SystemExit(os.EX_TEMPFAIL)")

        run(asked, at=later(51))

        assert (asked.state, training_job.sweep(at=later(100))) == (TrainingState.RUNNING, 0)
        assert training_job.sweep(at=later(115)) == 1

    def test_a_run_is_not_begun_for_ever(self, asked: TrainingRun) -> None:
        TrainingRun.objects.update(
            state=TrainingState.RUNNING, attempts=training_job.MOST_ATTEMPTS, lease_until=later(100)
        )

        training_job.sweep(at=later(101))

        asked.refresh_from_db()
        assert asked.state == TrainingState.FAILED
        assert "never finished" in asked.error

    def test_a_worker_that_is_stopped_hands_its_run_back(
        self, asked: TrainingRun, process_runs: Says, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stops = threading.Event()
        stops.set()
        monkeypatch.setattr(training_job, "_worker_stops", stops)
        process_runs("import time; time.sleep(60)")

        run(asked, at=later(51))

        assert (asked.state, asked.attempts) == (TrainingState.WAITING, 0)
        assert training_job.sweep(at=later(60)) == 1

    def test_a_cancelled_run_loses_its_process(
        self,
        asked: TrainingRun,
        lead: User,
        process_runs: Says,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        wrote = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
        process_runs(f"import os, time; {wrote}; time.sleep(60)")
        keep = training_job._Attempt._keep

        def cancel_first(attempt: training_job._Attempt, **progress: str) -> None:
            if "log" in progress and (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
                training_runs.cancel(run_id=asked.pk, actor=lead, at=later(60))
            keep(attempt, **progress)

        monkeypatch.setattr(training_job._Attempt, "_keep", cancel_first)

        run(asked, at=later(51))

        assert asked.state == TrainingState.CANCELLED
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in the middle of a run: its child would work for a minute."""
    child = (
        "import threading, time\n"
        "import django; django.setup()\n"
        "from moderation.management.commands import next_release\n"
        "threading.Thread(target=next_release._end_with_input, daemon=True).start()\n"
        "print('heads …', flush=True)\n"
        "time.sleep(60)\n"
    )
    program = textwrap.dedent(
        f"""
        import pathlib, sys, time
        import django
        django.setup()
        from moderation.operations.learning.training_process import TrainingProcess
        command = [sys.executable, "-c", {child!r}]
        process = TrainingProcess(command, folder=pathlib.Path({str(tmp_path)!r}), opening="begun")
        time.sleep(60)
        """
    )
    started = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=os.environ)
    yield started
    started.kill()
    started.wait()


@pytest.mark.whole
def test_a_process_dies_with_its_worker_and_makes_room(
    parent: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.txt"
    deadline = time.monotonic() + 60
    while not log.exists() or "heads …" not in log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    monkeypatch.setattr(training_process, "_STOP_SECONDS", 0.3)
    with pytest.raises(training_process.StillRunning):
        TrainingProcess([sys.executable, "-c", "pass"], folder=tmp_path, opening="second")

    parent.send_signal(signal.SIGKILL)
    parent.wait()

    monkeypatch.setattr(training_process, "_STOP_SECONDS", 10.0)
    command = [sys.executable, "-c", "print('done')"]
    with TrainingProcess(command, folder=tmp_path, opening="second") as one:
        while one.exit_code() is None:
            time.sleep(0.05)
        assert one.log().splitlines()[-2:] == ["second", "done"]


def test_the_sweep_keeps_the_candidates_of_the_latest_runs(folder: Path, decided_posts: None) -> None:
    states = [TrainingState.READY] * 6 + [TrainingState.FAILED, TrainingState.RUNNING]
    rows = [
        TrainingRun.objects.create(requested_at=later(number), state=state)
        for number, state in enumerate(states)
    ]
    for row in rows:
        training_job.folder_of(row).mkdir(parents=True)

    training_job.sweep(at=later(10))

    kept = {row.pk for row in rows[1:] if row.state != TrainingState.FAILED}
    assert {int(path.name) for path in folder.iterdir()} == kept
