"""How much spam two releases still catch when it is disguised; the rest of the record stays as it was."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.records import PostRecord
from training.attacks import ATTACKS, attacked
from training.compare import Floats, Sample, threshold_at_1_fpr
from training.labelled_posts import with_text

MOST_POSTS = 400
"""Spam posts that are attacked, drawn at random: each is judged once per attack by both releases."""

Judge = Callable[[Sequence[PostRecord]], Floats]


def measure(sample: Sample, *, live: Judge, candidate: Judge, seed: int) -> list[dict[str, Any]]:
    """Return each attack's recall before and after, at each release's threshold of 1 % false positives.

    Only spam whose text the attack changes is counted: an attack that finds nothing to change is no test.
    """
    places = _chosen(sample, seed=seed)
    spam = [sample.posts[place].record for place in places]
    judges = {"live": (live, sample.live), "candidate": (candidate, sample.candidate)}
    limits = {name: threshold_at_1_fpr(sample, probabilities) for name, (_, probabilities) in judges.items()}
    rows = []
    for attack in ATTACKS:
        disguised = [with_text(post, attacked(post.text, attack=attack, seed=seed)) for post in spam]
        touched = np.array([post.text != other.text for post, other in zip(spam, disguised, strict=True)])
        if not touched.any():
            continue
        row: dict[str, Any] = {"attack": attack, "rows": int(touched.sum())}
        for name, (judge, probabilities) in judges.items():
            after = judge([post for post, is_touched in zip(disguised, touched, strict=True) if is_touched])
            row[name] = {
                "recall_before": float((probabilities[places][touched] >= limits[name]).mean()),
                "recall_after": float((after >= limits[name]).mean()),
            }
        rows.append(row)
    return rows


def _chosen(sample: Sample, *, seed: int) -> NDArray[np.intp]:
    """Return the places of at most MOST_POSTS spam posts with text."""
    places = [place for place, post in enumerate(sample.posts) if post.is_spam and post.record.text.strip()]
    drawn = np.random.default_rng(seed).permutation(places)[:MOST_POSTS]
    return np.sort(drawn.astype(np.intp))
