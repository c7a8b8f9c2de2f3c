"""The steps of the next release: done in order, and not again while nothing that they read has changed."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.content import Unavailable
from scoring.release import MANIFEST, Release
from scoring.training import __main__ as command_line
from scoring.training import next_release, train_heads
from tests.scoring.starter import STARTER

FINDINGS = [["scores a post as fast", True, "p95 1 ms"]]


COMMANDS = {
    "train_content": "content",
    "export_onnx": "export",
    "fine_tuned_release": "pin",
    "train_ensemble": "ensemble",
    "train_heads": "heads",
    "evaluate_releases": "evaluate",
}
OPTIONS = (
    *("--release", "--against", "--labels", "--records", "--texts", "--data", "--feature-models"),
    *("--replay", "--from-live", "--model"),
)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put stand-ins for the commands, which write what the real ones would; return the calls' names."""
    names: list[str] = []

    def command(name: str) -> Any:
        def main(arguments: argparse.Namespace) -> None:
            names.append(f"{name} of new content" if arguments.content_knows_labels else name)
            write(name, arguments)

        return SimpleNamespace(add_arguments=add_arguments, main=main, told=train_heads.told)

    for module, name in COMMANDS.items():
        monkeypatch.setattr(next_release, module, command(name))
    return names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for option in OPTIONS:
        parser.add_argument(option, type=Path, nargs="+")
    for option in ("--out", "--repository", "--models", "--suspicious", "--triton", "--admin-socket"):
        parser.add_argument(option, type=Path)
    parser.add_argument("--content-knows-labels", action="store_true")


def write(name: str, arguments: argparse.Namespace) -> None:
    """Write what a command would."""
    if name == "export":
        weights = arguments.repository / "distilbert" / "1" / "model.onnx"
        weights.parent.mkdir(parents=True)
        weights.write_bytes(b"weights")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    if name == "content":
        (arguments.out / "model.safetensors").write_bytes(b"weights")
    elif name == "evaluate":
        (arguments.out / "report.json").write_text(json.dumps({"slices": [], "findings": FINDINGS}))
    else:
        for source in STARTER.iterdir():
            (arguments.out / source.name).write_bytes(source.read_bytes())


def run(folder: Path, *, records: bool = False, replay: bool = False) -> Release:
    labels = folder / "labels.jsonl"
    if not labels.exists():
        labels.write_text("{}\n")
    simulated = folder / "records.jsonl"
    simulated.write_text("{}\n")
    given = next_release.Given(
        labels=[labels],
        live=STARTER,
        records=[simulated] if records else [],
        texts=[simulated] if records else [],
        replay=[simulated] if replay else [],
    )
    return next_release.run(given, out=folder / "out", served=["--models", str(folder)])


def test_ends_with_a_candidate_its_report_and_what_to_do(
    called: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(tmp_path)

    said = capsys.readouterr().out
    assert called == ["heads", "evaluate"]
    assert made.folder == tmp_path / "out" / "candidate"
    assert "passed: 1 of 1 questions passed" in said
    assert f"manage.py promote {made.folder} --report" in said


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("recall 0.5", "refused"),
        ("too little evidence: 5 posts", "too little evidence"),
        ("nothing to promote: the same files", "nothing to promote"),
    ],
)
def test_offers_no_promotion_that_the_gate_would_refuse(
    called: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    verdict: str,
) -> None:
    monkeypatch.setitem(globals(), "FINDINGS", [*FINDINGS, ["is better", False, answer]])

    run(tmp_path)

    said = capsys.readouterr().out
    assert f"NOT PASSED  is better: {answer}\n{verdict}: 1 of 2 questions passed" in said
    assert "manage.py promote" not in said


def test_refits_the_ensemble_where_simulated_records_are_given(called: list[str], tmp_path: Path) -> None:
    run(tmp_path, records=True)

    assert called == ["ensemble", "heads", "evaluate"]


def test_trains_the_content_model_further_where_it_is_asked_to(
    called: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once: the training is a step like the others, and what promotes the candidate names its model."""
    for _ in range(2):
        run(tmp_path, replay=True)

    assert called == ["content", "export", "pin", "heads of new content", "evaluate"]
    assert f"--repository {tmp_path / 'out' / 'repository'}" in capsys.readouterr().out


def test_a_training_that_forgot_is_no_release(
    called: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(arguments: argparse.Namespace) -> None:
        (tmp_path / "out" / "content").mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / "content" / "model.safetensors").write_bytes(b"weights")
        raise SystemExit("more than 0.01 was lost on sms")

    with monkeypatch.context() as patched:
        patched.setattr("scoring.training.next_release.train_content.main", forgetful)
        for _ in range(2):
            with pytest.raises(SystemExit, match="lost on sms"):
                run(tmp_path, replay=True)

    assert called == []
    run(tmp_path, replay=True)
    assert called[0] == "content"


def test_goes_on_where_it_was(called: list[str], tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "out" / "report" / "report.json").unlink()

    run(tmp_path)

    assert called == ["heads", "evaluate", "evaluate"]


def test_a_new_decision_begins_anew(called: list[str], tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "labels.jsonl").write_text("{}\n{}\n")

    run(tmp_path)

    assert called == ["heads", "evaluate"] * 2


def test_a_step_that_lost_triton_says_so_and_is_done_again(
    called: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: argparse.Namespace) -> None:
        raise Unavailable("no connection")

    (tmp_path / "labels.jsonl").write_text("{}\n")
    given = f"--labels {tmp_path}/labels.jsonl --live {STARTER} --out {tmp_path}/out --triton grpc://nowhere"
    with monkeypatch.context() as patched:
        patched.setattr("scoring.training.next_release.evaluate_releases.main", broken)
        with pytest.raises(SystemExit) as ended:
            command_line.main(["next-release", *given.split()])
    assert ended.value.code == os.EX_TEMPFAIL

    run(tmp_path)

    assert called == ["heads", "evaluate"]
    assert (tmp_path / "out" / "candidate" / MANIFEST).exists()
