"""Decisions outside the test part that judge a new head all the same, while the test part holds too few.

A decision may, if neither release has learnt from it: it was made on a post that the live release scored, and
the candidate's answer is given by a head that was fitted without the decision's group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from scoring.ensemble import content_margins, probabilities_of
from scoring.gate import LEAST_OF_SOURCE
from scoring.release import Release
from scoring.training import fit_head, labelled_lines, labelled_posts, labelled_records, train_heads
from scoring.training.compare import Sample
from scoring.training.labelled_lines import Origin
from scoring.training.labelled_posts import DECIDED_ON, LabelledPost
from scoring.training.labelled_records import LabelledRecord

if TYPE_CHECKING:
    from scoring.training.evaluate_releases import Opened


def new_heads(candidate: Release, *, live: Release) -> list[str]:
    """Return the platforms whose head the live release has not, or has another of."""
    return sorted(
        platform
        for platform, file in candidate.heads.items()
        if live.files.get(live.heads.get(platform, "")) != candidate.files[file]
    )


def samples(
    paths: Iterable[Path], *, judged: Sequence[LabelledPost], live: Opened, candidate: Opened
) -> dict[str, Sample]:
    """Return, by platform, what both releases say of such decisions; `judged` are the posts of the test part.

    Nothing of platforms whose head is not new, or of which enough decisions are judged. Raises Malformed or
    content.Unavailable.
    """
    counts = Counter(post.source for post in judged)
    platforms = [
        platform
        for platform in new_heads(candidate.release, live=live.release)
        if counts[f"{DECIDED_ON} {platform}"] < LEAST_OF_SOURCE
    ]
    if not platforms:
        return {}
    lines = [line for line in labelled_lines.read_all(paths) if line.origin is Origin.DECIDED]
    decided = [(labelled_records.labelled(line), line.scored_by) for line in lines]
    found = {}
    for platform in platforms:
        learnt = train_heads.learnable([one for one, _ in decided if one.platform == platform])
        fresh = {id(one) for one, scored_by in decided if one.weight > 0.0 and scored_by == live.release.id}
        is_fresh = np.array([id(one) in fresh for one in learnt], dtype=bool)
        if is_fresh.any():
            found[platform] = _sample(learnt, live=live, candidate=candidate).taken(is_fresh)
    return found


def _sample(learnt: Sequence[LabelledRecord], *, live: Opened, candidate: Opened) -> Sample:
    records = [one.record for one in learnt]
    margins = content_margins(candidate.content_probabilities(records))
    with threadpool_limits(limits=1):
        left_out = fit_head.left_out_margins(train_heads.decisions_of(learnt, content=margins))
    said = candidate.scorer.spam_probabilities(records, content_probabilities=probabilities_of(left_out))
    posts = [labelled_posts.of_record(one) for one in learnt]
    return Sample(posts=posts, live=live.judge(records), candidate=said)
