"""The steps of the next release: done in order, and not again while nothing that they read has changed."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.content import Unavailable
from scoring.release import MANIFEST, Release
from tests.scoring.starter import STARTER
from training import __main__ as command_line
from training import evaluate_releases, export_onnx, next_release, train_content, train_ensemble, train_heads
from training.continue_content import Forgotten
from training.served_content import Served
from training.train_heads import Made

FINDINGS = [["scores a post as fast", True, "p95 1 ms"]]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put stand-ins for the stages, which write what the real ones would; return the calls' names."""
    names: list[str] = []

    def further(*_: Any, out: Path, **__: Any) -> None:
        names.append("content")
        out.mkdir(parents=True, exist_ok=True)
        (out / "model.safetensors").write_bytes(b"weights")

    def export(*, repository: Path, **_: Any) -> None:
        names.append("export")
        weights = repository / "distilbert" / "1" / "model.onnx"
        weights.parent.mkdir(parents=True)
        weights.write_bytes(b"weights")

    def heads(*_: Any, content_knows_labels: bool, out: Path, **__: Any) -> Made:
        names.append("heads of new content" if content_knows_labels else "heads")
        return Made(release=_copied(out), suspicions=[])

    def evaluated(*_: Any, out: Path, **__: Any) -> None:
        names.append("evaluate")
        out.mkdir(parents=True, exist_ok=True)
        (out / "report.json").write_text(json.dumps({"slices": [], "findings": FINDINGS}))

    def copied(name: str) -> Callable[..., Release]:
        def stage(*_: Any, out: Path, **__: Any) -> Release:
            names.append(name)
            return _copied(out)

        return stage

    monkeypatch.setattr(train_content, "further", further)
    monkeypatch.setattr(export_onnx, "export", export)
    monkeypatch.setattr(next_release, "pin_content", copied("pin"))
    monkeypatch.setattr(train_ensemble, "run", copied("ensemble"))
    monkeypatch.setattr(train_heads, "run", heads)
    monkeypatch.setattr(evaluate_releases, "run", evaluated)
    return names


def _copied(out: Path) -> Release:
    out.mkdir(parents=True, exist_ok=True)
    for source in STARTER.iterdir():
        (out / source.name).write_bytes(source.read_bytes())
    return Release.load(out)


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
    return next_release.run(given, out=folder / "out", served=Served(triton="grpc://nowhere", models=folder))


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
    def forgetful(*_: Any, out: Path, **__: Any) -> None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "model.safetensors").write_bytes(b"weights")
        raise Forgotten("more than 0.01 was lost on sms")

    with monkeypatch.context() as patched:
        patched.setattr(train_content, "further", forgetful)
        for _ in range(2):
            with pytest.raises(Forgotten, match="lost on sms"):
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
    def broken(*_: Any, **__: Any) -> None:
        raise Unavailable("no connection")

    (tmp_path / "labels.jsonl").write_text("{}\n")
    given = f"--labels {tmp_path}/labels.jsonl --live {STARTER} --out {tmp_path}/out --triton grpc://nowhere"
    with monkeypatch.context() as patched:
        patched.setattr(evaluate_releases, "run", broken)
        with pytest.raises(SystemExit) as ended:
            command_line.main(["next-release", *given.split()])
    assert ended.value.code == os.EX_TEMPFAIL

    run(tmp_path)

    assert called == ["heads", "evaluate"]
    assert (tmp_path / "out" / "candidate" / MANIFEST).exists()
