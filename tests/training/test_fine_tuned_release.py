"""A release with a content model that learnt a platform's labels: what counted them already is taken away."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.pins import ContentPin
from scoring.release import Release
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import FakeContent
from tests.training.test_fresh_decisions import opened, test_part, written
from training import __main__ as command
from training import fine_tuned_release, fresh_decisions, served_content
from training.served_content import Opened, Served

NEW = ContentPin(model="distilbert", version="1", files={"distilbert/1/model.onnx": "0" * 64})


@pytest.fixture
def live(tmp_path: Path) -> Release:
    """The shipped release with a head for one platform."""
    return with_head(decisions(300), out=tmp_path / "live")


@pytest.fixture
def with_new_content(live: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Release:
    """That release with another content model, which learnt the platform's labels."""
    monkeypatch.setattr(served_content, "pin", lambda *_, **__: NEW)
    monkeypatch.setattr(served_content, "connect", lambda *_, **__: FakeContent())
    labels = written(tmp_path / "labels.jsonl", decisions(300))
    served = Served(triton="x")
    fine_tuned_release.run(live.folder, labels=[labels], served=served, out=tmp_path / "made")
    return Release.load(tmp_path / "made")


def test_pins_the_new_model_with_answers_that_it_must_still_give(with_new_content: Release) -> None:
    assert dict(with_new_content.content.files) == dict(NEW.files)
    assert len(with_new_content.content.probes) == 4


def test_keeps_all_but_the_heads_of_the_platform(with_new_content: Release, live: Release) -> None:
    assert set(live.heads) == {PLATFORM}
    assert with_new_content.heads == {}
    assert not (with_new_content.folder / "heads").exists()
    assert with_new_content.thresholds == live.thresholds
    assert with_new_content.sub_models == live.sub_models


def test_heads_of_other_platforms_stay(live: Release) -> None:
    kept = fine_tuned_release.without_heads(live, platforms={"another"})

    assert kept["heads"] == live.manifest["heads"]
    assert kept["files"] == dict(live.files)


def test_heads_learn_what_the_new_model_did_not(
    with_new_content: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what it learnt it is too sure: such a head would trust it everywhere."""
    labels = written(tmp_path / "labels.jsonl", decisions(400))
    words = ["--release", str(with_new_content.folder), "--labels", str(labels), "--triton", "x"]

    command.main(["heads", *words, "--content-knows-labels", "--out", str(tmp_path / "heads")])

    manifest = json.loads((tmp_path / "heads" / "manifest.json").read_text())
    assert 40 < manifest["heads"][PLATFORM]["fitted_on"][PLATFORM]["posts"] < 120


def test_only_the_test_part_judges_it(with_new_content: Release, tmp_path: Path) -> None:
    """By a head that learnt neither that part nor what the model learnt; too few for one, by none."""
    labelled = decisions(300)
    labels = written(tmp_path / "labels.jsonl", labelled)
    headed = with_head(labelled, out=tmp_path / "headed", base=with_new_content)
    candidate, shipped = opened(headed), opened(LIVE)

    assert not fresh_decisions.samples([labels], judged=[], live=shipped, candidate=candidate)
    judged = fresh_decisions.without_test_part([labels], live=shipped, candidate=candidate)
    few = written(tmp_path / "few.jsonl", decisions(60))
    unheaded = fresh_decisions.without_test_part([few], live=shipped, candidate=candidate)
    assert _margins(judged, labelled) != pytest.approx(_margins(candidate, labelled))
    assert unheaded.scorer.heads.by_platform == {}


def _margins(release: Opened, labelled: list) -> np.ndarray:  # type: ignore[type-arg]  # of records, of floats
    return release.judge([post.record for post in test_part(labelled)])
