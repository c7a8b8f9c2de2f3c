"""A new head is judged by decisions that no release learnt from, where the test part holds too few."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHeads
from scoring.release import Release
from scoring.splits import Split, split_of
from tests import json_lines
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import FakeContent, export_line
from training import fresh_decisions
from training.labelled_posts import DECIDED_ON, LabelledPost, of_record
from training.labelled_records import LabelledRecord
from training.served_content import Opened


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
