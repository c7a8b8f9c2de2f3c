"""The steps of the next release: done in order, and not again while nothing that they read has changed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.release import MANIFEST, Release
from scoring.training import next_release, train_heads
from tests.scoring.starter import STARTER

FINDINGS = [["holds enough evidence", False, "5 posts"], ["scores a post as fast", True, "p95 1 ms"]]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Put stand-ins for the commands, which write what the real ones would; return the calls' names."""
    names: list[str] = []

    def command(name: str) -> Any:
        def add_arguments(parser: argparse.ArgumentParser) -> None:
            for option in (
                "--release",
                "--against",
                "--labels",
                "--records",
                "--texts",
                "--data",
                "--feature-models",
            ):
                parser.add_argument(option, type=Path, nargs="+")
            parser.add_argument("--out", type=Path)

        def main(arguments: argparse.Namespace) -> None:
            names.append(name)
            arguments.out.mkdir(parents=True, exist_ok=True)
            if name == "evaluate":
                report = {"slices": [], "findings": FINDINGS}
                (arguments.out / "report.json").write_text(json.dumps(report))
                return
            for source in STARTER.iterdir():
                (arguments.out / source.name).write_bytes(source.read_bytes())

        return SimpleNamespace(add_arguments=add_arguments, main=main)

    for module, name in (
        ("train_ensemble", "ensemble"),
        ("train_heads", "heads"),
        ("evaluate_releases", "evaluate"),
    ):
        stand_in = command(name)
        if name == "heads":
            stand_in.told = train_heads.told
        monkeypatch.setattr(next_release, module, stand_in)
    return names


def run(folder: Path, *, records: bool = False) -> Release:
    labels = folder / "labels.jsonl"
    if not labels.exists():
        labels.write_text("{}\n")
    simulated = folder / "records.jsonl"
    simulated.write_text("{}\n")
    return next_release.run(
        labels=[labels],
        live=STARTER,
        records=[simulated] if records else [],
        texts=[simulated] if records else [],
        data=[],
        out=folder / "out",
        served=[],
    )


def test_ends_with_a_candidate_its_report_and_what_to_do(
    called: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(tmp_path)

    said = capsys.readouterr().out
    assert called == ["heads", "evaluate"]
    assert made.folder == tmp_path / "out" / "candidate"
    assert "NOT PASSED  holds enough evidence: 5 posts" in said
    assert "1 of 2 questions passed" in said
    assert f"manage.py promote {made.folder} --report" in said


def test_refits_the_ensemble_where_simulated_records_are_given(called: list[str], tmp_path: Path) -> None:
    run(tmp_path, records=True)

    assert called == ["ensemble", "heads", "evaluate"]


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


def test_a_step_that_failed_is_done_again(
    called: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: argparse.Namespace) -> None:
        raise ConnectionError("Triton went away")

    with monkeypatch.context() as patched:
        patched.setattr("scoring.training.next_release.evaluate_releases.main", broken)
        with pytest.raises(ConnectionError):
            run(tmp_path)

    run(tmp_path)

    assert called == ["heads", "evaluate"]
    assert (tmp_path / "out" / "candidate" / MANIFEST).exists()
