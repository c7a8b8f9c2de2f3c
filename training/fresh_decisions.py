"""Which decisions judge heads, although heads learn from all: those unknown to the head that answers.

In the test part a candidate answers by heads fitted without it. While it holds too few decisions, others
judge as well, each by a head fitted without its group. Decisions that the live release's head learnt, which
it names, judge neither.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from scoring.ensemble import probabilities_of
from scoring.gate import LEAST_OF_SOURCE
from scoring.label_balance import LEAST_OF_EACH
from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHeads, learnt_keys
from scoring.release import Release
from scoring.splits import Split, split_of
from training import fit_head, labelled_lines, labelled_posts, train_heads
from training.compare import Sample
from training.fit_head import Calibrated
from training.labelled_lines import Origin
from training.labelled_posts import DECIDED_ON, LabelledPost
from training.labelled_records import LabelledRecord
from training.served_content import Opened


def new_heads(candidate: Release, *, live: Release) -> list[str]:
    """Return the platforms whose head is not the live release's."""
    return sorted(
        platform
        for platform, file in candidate.heads.items()
        if live.files.get(live.heads.get(platform, "")) != candidate.files[file]
    )


def unlearnt(posts: Iterable[LabelledPost], *, live: Opened) -> list[LabelledPost]:
    """Return the posts that the live release's heads have not learnt from, nor from near-duplicates."""
    return [post for post in posts if not _has_learnt(live, post)]


def _has_learnt(live: Opened, post: LabelledPost) -> bool:
    head = live.scorer.heads.by_platform.get(post.platform)
    if head is None:
        return False
    if not head.learnt.size:
        # The head does not name them: it cannot have learnt later decisions, on posts that it scored.
        return post.scored_by != live.release.id
    return bool(np.isin(learnt_keys(post=post.record.external_id, group=post.group), head.learnt).any())


def without_test_part(paths: Iterable[Path], *, live: Opened, candidate: Opened) -> Opened:
    """Return the candidate with new heads that learnt nothing of the test part, so that it can judge them.

    Raises Malformed or content.Unavailable.
    """
    heads = dict(candidate.scorer.heads.by_platform)
    # A content model is too sure of its training texts: a head fitted to them would trust it too far.
    splits = {Split.VALIDATION} if _is_new_content(candidate, live=live) else {Split.TRAIN, Split.VALIDATION}
    decisions = _decided(paths)
    for platform in new_heads(candidate.release, live=live.release):
        posts = train_heads.learnable([post for post in decisions if post.platform == platform])
        usable = [post for post in posts if split_of(post.group) in splits]
        counts = Counter(post.is_spam for post in usable)
        if min(counts[True], counts[False]) >= LEAST_OF_EACH:
            heads[platform] = _calibrated(usable, candidate=candidate).head
        elif posts:
            del heads[platform]
    scorer = Scorer(
        release=candidate.release, content=candidate.content, heads=PlatformHeads(by_platform=heads)
    )
    return dataclasses.replace(candidate, scorer=scorer)


def samples(
    paths: Iterable[Path], *, judged: Sequence[LabelledPost], live: Opened, candidate: Opened
) -> dict[str, Sample]:
    """Return, by platform, both releases' answers on such decisions; `judged` are posts of the test part.

    Platforms whose head is not new, or with enough judged decisions, are left out; a new content model leaves
    out all, since it may have learnt from them. Raises Malformed or content.Unavailable.
    """
    if _is_new_content(candidate, live=live):
        return {}
    counts = Counter(post.source for post in judged)
    platforms = [
        platform
        for platform in new_heads(candidate.release, live=live.release)
        if counts[f"{DECIDED_ON} {platform}"] < LEAST_OF_SOURCE
    ]
    if not platforms:
        return {}
    decisions = _decided(paths)
    by_platform = {}
    for platform in platforms:
        learnt = train_heads.learnable([post for post in decisions if post.platform == platform])
        is_fresh = np.array(
            [
                post.weight > 0.0 and split_of(post.group) is not Split.TEST and not _has_learnt(live, post)
                for post in learnt
            ],
            dtype=bool,
        )
        if is_fresh.any():
            by_platform[platform] = _sample(learnt, live=live, candidate=candidate).taken(is_fresh)
    return by_platform


def _is_new_content(candidate: Opened, *, live: Opened) -> bool:
    return candidate.release.content.digest != live.release.content.digest


def _decided(paths: Iterable[Path]) -> list[LabelledPost]:
    lines = labelled_lines.read_all(paths)
    return [labelled_posts.of_line(line) for line in lines if line.origin is Origin.DECIDED]


def _sample(learnt: Sequence[LabelledPost], *, live: Opened, candidate: Opened) -> Sample:
    records = [post.record for post in learnt]
    left_out = _calibrated(learnt, candidate=candidate).left_out
    probabilities = candidate.scorer.spam_probabilities(
        records,
        content_probabilities=probabilities_of(left_out),
        read=candidate.scorer.read(records, content=candidate),
    )
    return Sample(posts=learnt, live=live.judge(records), candidate=probabilities)


def _calibrated(learnt: Sequence[LabelledRecord], *, candidate: Opened) -> Calibrated:
    scores = candidate.scores([post.record.text for post in learnt])
    with threadpool_limits(limits=1):
        return fit_head.calibrated(train_heads.decisions_of(learnt, scores=scores))
