"""A step before the start, such as the migrations: it may take long while its log moves."""

from pathlib import Path

import pytest

from deploy.local.service import Service
from deploy.local.supervisor import StartFailed, Supervisor

LIMIT_SECONDS = 300
ROUND_SECONDS = 100


class Hurried(Supervisor):
    """Every round takes 100 seconds; the step writes in the first rounds, and ends after the last."""

    def __init__(self, folder: Path, *, writes: int, ends_after: int) -> None:
        self.said: list[str] = []
        super().__init__(logs=folder, mark=str(folder), environment={}, say=self.said.append)
        self._folder, self._writes, self._ends_after = folder, writes, ends_after
        self.now, self._rounds = 0.0, 0

    def tend(self) -> None:
        self._rounds += 1
        self.now += ROUND_SECONDS
        if self._rounds <= self._writes:
            with (self._folder / "prepare.log").open("a") as log:
                log.write(f"  Applying moderation.{self._rounds:04}\n")
        if self._rounds == self._ends_after:
            (self._folder / "end").touch()
        if self._rounds > self._ends_after:
            self.now -= ROUND_SECONDS


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *, writes: int) -> list[str]:
    supervisor = Hurried(folder, writes=writes, ends_after=10)
    monkeypatch.setattr("deploy.local.supervisor.time.monotonic", lambda: supervisor.now)
    command = ("/bin/sh", "-c", f"while [ ! -e {folder}/end ]; do /bin/sleep 0.05; done")
    with supervisor:
        supervisor.run_step(
            Service(
                name="prepare",
                command=command,
                check=lambda: None,
                start_seconds=LIMIT_SECONDS,
                cure="again",
            )
        )
    return supervisor.said


def test_is_waited_for_while_its_log_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run(tmp_path, monkeypatch, writes=10)

    assert "  prepare      at   300 s   Applying moderation.0003" in said
    assert "done after  1000" in said[-1]


def test_is_ended_at_a_standstill_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartFailed, match=r"written nothing for 300 s(.|\n)*0002\n  again$"):
        run(tmp_path, monkeypatch, writes=2)
