"""The evaluate command on the real server: two reports, and what the gate reads in them."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import pytest

from scoring import gate
from scoring.release import MANIFEST, Release
from scoring.splits import Split, split_of
from tests import releases
from tests.scoring.random_records import labelled
from tests.scoring.starter import STARTER
from training import evaluate_releases

pytestmark = [pytest.mark.xdist_group("triton"), pytest.mark.timeout(300)]


def run(*, release: Path, data: Path, out: Path, part: Split = Split.TEST) -> None:
    parser = argparse.ArgumentParser()
    evaluate_releases.add_arguments(parser)
    given = {
        "release": release,
        "against": STARTER,
        "data": data,
        "part": part,
        "triton": os.environ["TRITON_URL"],
        "out": out,
    }
    evaluate_releases.main(
        parser.parse_args([word for name, value in given.items() for word in (f"--{name}", str(value))])
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """As many honest posts as the gate asks for, and less spam: each is attacked in every way, slowly."""
    honest, spam = ([one for one in labelled(2_400) if one.is_spam == is_spam] for is_spam in (False, True))
    path = tmp_path / "records.jsonl"
    with path.open("w") as lines:
        for one in (*honest, *spam[::3]):
            stored = {"record": one.record.to_json(), "is_spam": one.is_spam, "kind": "x", "group": one.group}
            lines.write(json.dumps(stored) + "\n")
    return path


def test_compares_two_releases(triton_url: str, data: Path, tmp_path: Path) -> None:
    # Routes stay: what a link changes is as in the live release, whatever that is.
    same = json.loads((STARTER / MANIFEST).read_text())["thresholds"]
    candidate = releases.release(tmp_path / "candidate", thresholds=same | {"audit_rate": 0.03})

    run(release=candidate.folder, data=data, out=tmp_path / "out")

    report = json.loads((tmp_path / "out" / "report.json").read_text())
    live = Release.load(STARTER)
    findings = gate.findings(report, candidate=candidate.id, live=live.id)
    assert [one.question for one in findings if not one.passed] == []
    assert report["slices"][0]["metrics"]["pr_auc"]["difference_interval"] == [0.0, 0.0]
    assert report["data"][0]["rows"] > 50
    assert {attack["attack"] for attack in report["robustness"]} >= {"homoglyph", "spacing"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<svg") == 3
    assert "<script" not in page
    assert candidate.id[:12] in page


@pytest.mark.long
def test_candidates_can_be_compared_without_the_test_part(
    triton_url: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidate = releases.release(tmp_path / "candidate")

    run(release=candidate.folder, data=data, out=tmp_path / "out", part=Split.VALIDATION)

    report = json.loads((tmp_path / "out" / "report.json").read_text())
    groups = [json.loads(line)["group"] for line in data.read_text().splitlines()]
    expected = sum(split_of(group) is Split.VALIDATION for group in groups)
    assert report["slices"][0]["rows"] == expected > 50
    assert "Judged on the validation part" in (tmp_path / "out" / "report.html").read_text()
    assert f"{expected} posts of the validation part" in capsys.readouterr().out
