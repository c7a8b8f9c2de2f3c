"""A new head is judged by decisions that no release learnt from, where the test part holds too few."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score

from scoring.pipeline import Scorer
from scoring.release import Release
from scoring.splits import Split, split_of
from scoring.training import fresh_decisions, train_heads
from scoring.training.evaluate_releases import Opened
from scoring.training.labelled_posts import DECIDED_ON, LabelledPost, of_record
from scoring.training.labelled_records import LabelledRecord
from tests.scoring.platform_posts import PLATFORM, decisions
from tests.scoring.random_records import FakeContent
from tests.scoring.starter import STARTER

LIVE = Release.load(STARTER)


def written(path: Path, labelled: Sequence[LabelledRecord], *, scored_by: str = LIVE.id) -> Path:
    with path.open("w", encoding="utf-8") as lines:
        for number, one in enumerate(labelled):
            provenance = {"decision_id": str(number), "release": scored_by, "is_audit_sample": one.is_random}
            line = {
                "id": one.record.external_id,
                "record": one.record.to_json(),
                "label": int(one.is_spam),
                "group": one.group,
                "weight": one.weight,
                "provenance": provenance,
            }
            lines.write(json.dumps(line) + "\n")
    return path


def opened(release: Release) -> Opened:
    content = FakeContent()
    return Opened(scorer=Scorer(release=release, content=content), content=content, known={})  # type: ignore[arg-type]  # as the pipeline takes it


def with_head(labelled: Sequence[LabelledRecord], *, out: Path, base: Release = LIVE) -> Release:
    return train_heads.add_heads(base, labelled, content=FakeContent(), out=out).release


def test_part(labelled: Sequence[LabelledRecord]) -> list[LabelledPost]:
    return [of_record(one) for one in labelled if split_of(one.group) is Split.TEST]


test_part.__test__ = False  # type: ignore[attr-defined]  # it is named for what it returns


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


def test_what_an_earlier_release_had_scored_may_have_been_learnt_by_the_live_one(tmp_path: Path) -> None:
    labelled = decisions(60)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    labels = written(tmp_path / "labels.jsonl", labelled, scored_by="the release before")

    assert not fresh_decisions.samples([labels], judged=[], live=opened(LIVE), candidate=candidate)


def test_what_a_complaint_brought_judges_nothing(tmp_path: Path) -> None:
    labelled = decisions(90, reported=0.5)
    candidate = opened(with_head(labelled, out=tmp_path / "candidate"))
    labels = written(tmp_path / "labels.jsonl", labelled)

    found = fresh_decisions.samples([labels], judged=[], live=opened(LIVE), candidate=candidate)

    standing = [one for one in labelled if one.weight and split_of(one.group) is not Split.TEST]
    assert len(found[PLATFORM].posts) == len(standing)


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
