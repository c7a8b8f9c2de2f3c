"""A head or a content model is judged by decisions that no release learnt from."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from scoring.pins import ContentPin
from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHeads
from scoring.release import Release
from scoring.splits import Split, split_of
from tests import json_lines
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import FakeContent, export_line
from training import __main__ as command
from training import fresh_decisions, next_release, served_content
from training.labelled_posts import DECIDED_ON, LabelledPost, of_record
from training.labelled_records import LabelledRecord
from training.served_content import Opened, Served


def written(path: Path, labelled: Sequence[LabelledRecord], *, scored_by: str = LIVE.id) -> Path:
    lines = [export_line(one) for one in labelled]
    for number, line in enumerate(lines):
        line["provenance"] |= {"decision_id": str(number), "release": scored_by}
    return json_lines.written(path, lines)


def opened(release: Release) -> Opened:
    content = FakeContent()
    return Opened(scorer=Scorer(release=release, content=content), content=content, known={})  # type: ignore[arg-type]  # as the pipeline takes it


def test_part(labelled: Sequence[LabelledRecord]) -> list[LabelledPost]:
    return [of_record(one) for one in labelled if split_of(one.group) is Split.TEST]


test_part.__test__ = False  # type: ignore[attr-defined]  # it is named for what it returns

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
    next_release.pin_content(live.folder, labels=[labels], served=served, out=tmp_path / "made")
    return Release.load(tmp_path / "made")


def _margins(release: Opened, labelled: list) -> np.ndarray:  # type: ignore[type-arg]  # of records, of floats
    return release.judge([post.record for post in test_part(labelled)])


def test_few_decisions_are_judged_by_heads_that_left_them_out(tmp_path: Path) -> None:
    labelled = decisions(60)
    # One of the other sort than all that is said like it: a head that had learnt it would know.
    labelled[0] = dataclasses.replace(labelled[0], is_spam=not labelled[0].is_spam)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    judged = test_part(labelled)
    assert len(judged) < 10

    found = fresh_decisions.samples(
        [written(tmp_path / "labels.jsonl", labelled)], judged=judged, live=opened(LIVE), candidate=candidate
    )

    sample = found[PLATFORM]
    assert {post.source for post in sample.posts} == {f"{DECIDED_ON} {PLATFORM}"}
    assert len(sample.posts) + len(judged) == 60
    assert roc_auc_score(sample.is_spam, sample.candidate) > roc_auc_score(sample.is_spam, sample.live) + 0.2
    learnt = candidate.judge([post.record for post in sample.posts])
    assert roc_auc_score(sample.is_spam, learnt) > roc_auc_score(sample.is_spam, sample.candidate)


def test_what_the_live_head_has_learnt_judges_nothing(tmp_path: Path) -> None:
    """Whatever release had scored the posts: random posts are decided long after."""
    labelled = [*decisions(60), *decisions(60, seed=5)]
    live = opened(with_head(labelled[:60], out=tmp_path / "live"))
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    labels = written(tmp_path / "labels.jsonl", labelled, scored_by="the release before")

    found = fresh_decisions.samples([labels], judged=[], live=live, candidate=candidate)

    assert {post.group for post in found[PLATFORM].posts} == {
        one.group for one in labelled[60:] if split_of(one.group) is not Split.TEST
    }


def test_of_a_head_that_does_not_say_only_what_it_scored_is_not_learnt(tmp_path: Path) -> None:
    labelled = decisions(60)
    live = opened(with_head(labelled, out=tmp_path / "live"))
    heads = {
        name: dataclasses.replace(head, learnt=np.zeros(0, dtype=np.uint64))
        for name, head in live.scorer.heads.by_platform.items()
    }
    scorer = Scorer(release=live.release, content=live.content, heads=PlatformHeads(heads))
    live = dataclasses.replace(live, scorer=scorer)
    posts = [of_record(one) for one in labelled]

    assert fresh_decisions.unlearnt(posts, live=live) == []
    fresh = [dataclasses.replace(post, scored_by=live.release.id) for post in posts]
    assert fresh_decisions.unlearnt(fresh, live=live) == fresh


def test_what_a_complaint_brought_judges_nothing(tmp_path: Path) -> None:
    labelled = decisions(90, reported=0.5)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    labels = written(tmp_path / "labels.jsonl", labelled)

    found = fresh_decisions.samples([labels], judged=[], live=opened(LIVE), candidate=candidate)

    standing = [one for one in labelled if one.weight and split_of(one.group) is not Split.TEST]
    assert len(found[PLATFORM].posts) == len(standing)


def test_the_test_part_is_judged_by_heads_without_it(tmp_path: Path) -> None:
    labelled = [
        # All that the test part teaches is wrong: a head that had learnt it would agree.
        dataclasses.replace(one, is_spam=one.is_spam ^ (split_of(one.group) is Split.TEST))
        for one in decisions(300)
    ]
    labels = written(tmp_path / "labels.jsonl", labelled)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    judged = test_part(labelled)
    is_spam = [post.is_spam for post in judged]

    found = fresh_decisions.without_test_part([labels], live=opened(LIVE), candidate=candidate)

    records = [post.record for post in judged]
    assert roc_auc_score(is_spam, found.judge(records)) < 0.1
    assert (
        roc_auc_score(is_spam, candidate.judge(records)) > roc_auc_score(is_spam, found.judge(records)) + 0.1
    )
    assert found.release.id == candidate.release.id


def test_a_head_that_is_not_new_answers_itself(tmp_path: Path) -> None:
    labelled = decisions(100)
    live = opened(with_head(labelled, out=tmp_path / "live"))
    labels = written(tmp_path / "labels.jsonl", labelled)

    found = fresh_decisions.without_test_part([labels], live=live, candidate=live)

    assert found.scorer.heads.by_platform == live.scorer.heads.by_platform


def test_near_duplicates_of_what_was_learnt_judge_nothing_either(tmp_path: Path) -> None:
    labelled = decisions(100)
    live = opened(with_head(labelled, out=tmp_path / "live"))
    record = dataclasses.replace(labelled[0].record, external_id="a copy")
    copy = of_record(dataclasses.replace(labelled[0], record=record))
    other = of_record(decisions(1, seed=5)[0])

    assert fresh_decisions.unlearnt([copy, other], live=live) == [other]
    assert fresh_decisions.unlearnt([copy, other], live=opened(LIVE)) == [copy, other]


@pytest.mark.parametrize("is_new", [True, False])
def test_only_a_new_head_is_asked_for_evidence(tmp_path: Path, *, is_new: bool) -> None:
    first = with_head(decisions(60), out=tmp_path / "first")
    second = with_head(decisions(80) if is_new else [], out=tmp_path / "second", base=first)

    assert fresh_decisions.new_heads(second, live=first) == ([PLATFORM] if is_new else [])


def test_a_test_part_that_is_large_enough_stands_alone(tmp_path: Path) -> None:
    labelled = decisions(300)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    labels = written(tmp_path / "labels.jsonl", labelled)

    assert not fresh_decisions.samples(
        [labels], judged=test_part(labelled), live=opened(LIVE), candidate=candidate
    )


class TestFineTunedRelease:
    def test_pins_the_new_model_with_answers_that_it_must_still_give(self, with_new_content: Release) -> None:
        assert dict(with_new_content.content.files) == dict(NEW.files)
        assert len(with_new_content.content.probes) == 4

    def test_keeps_all_but_the_heads_of_the_platform(self, with_new_content: Release, live: Release) -> None:
        assert set(live.heads) == {PLATFORM}
        assert with_new_content.heads == {}
        assert not (with_new_content.folder / "heads").exists()
        assert with_new_content.thresholds == live.thresholds
        assert with_new_content.sub_models == live.sub_models

    def test_heads_of_other_platforms_stay(self, live: Release) -> None:
        kept = next_release.without_heads(live, platforms={"another"})

        assert kept["heads"] == live.manifest["heads"]
        assert kept["files"] == dict(live.files)

    def test_heads_learn_what_the_new_model_did_not(
        self, with_new_content: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of what it learnt it is too sure: such a head would trust it everywhere."""
        labels = written(tmp_path / "labels.jsonl", decisions(400))
        words = ["--release", str(with_new_content.folder), "--labels", str(labels), "--triton", "x"]

        command.main(["heads", *words, "--content-knows-labels", "--out", str(tmp_path / "heads")])

        manifest = json.loads((tmp_path / "heads" / "manifest.json").read_text())
        assert 40 < manifest["heads"][PLATFORM]["fitted_on"][PLATFORM]["posts"] < 120

    def test_only_the_test_part_judges_it(self, with_new_content: Release, tmp_path: Path) -> None:
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
