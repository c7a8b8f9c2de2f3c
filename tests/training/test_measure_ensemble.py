"""What evidence is worth: counted in records, and as the ensemble has it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from scoring import features
from scoring.ensemble import Ensemble
from tests.scoring.starter import STARTER
from training.ensemble_rows import Rows
from training.measure_ensemble import by_evidence

ENSEMBLE = Ensemble.load(STARTER)
# Of five readers who never met, one of whom was right before.
_COMPLAINTS = {
    "complaints": 5.0,
    "complaints_per_hour": 5.0,
    "reliable_complaints": 3.5,
    "best_reporter_reliability": 0.95,
    "best_reporter_certainty": 0.9,
    "witnesses": 5.0,
    "reliable_witnesses": 3.0,
}


def rows_with_complaints(*, spam: int, honest: int, posts: int = 400) -> Rows:
    """Return posts of which nothing else is known, a quarter of them spam; some of either sort reported."""
    is_spam = np.arange(posts) < posts // 4
    table = np.tile(ENSEMBLE.reference, (posts, 1))
    reported = np.r_[np.arange(spam), np.arange(posts - honest, posts)]
    for name, value in _COMPLAINTS.items():
        table[reported, features.NAMES.index(f"feedback.{name}")] = value
    groups = np.arange(posts).astype(str)
    return Rows(
        features=table,
        content_probabilities=np.full(posts, 0.3),
        is_spam=is_spam,
        groups=groups,
        domains=groups,
        weights=np.ones(posts),
    )


def test_counts_how_much_likelier_spam_is_with_it() -> None:

    complaint, address = by_evidence(rows_with_complaints(spam=40, honest=10), ensemble=ENSEMBLE)

    expected = np.log(40.5 / 10.5) - np.log(60.5 / 290.5)
    assert (complaint["posts"], complaint["spam"]) == (50, 40)
    assert complaint["in_records"] == pytest.approx(expected)
    assert (address["posts"], address["in_records"], address["added"]) == (0, None, None)


def test_asks_the_ensemble_what_is_lost_without_it() -> None:
    rows = rows_with_complaints(spam=40, honest=10)
    told = rows.taken(rows.features[:, features.NAMES.index("feedback.complaints")] > 0.0)
    bare = dataclasses.replace(told, features=np.tile(ENSEMBLE.reference, (50, 1)))

    complaint, _ = by_evidence(rows, ensemble=ENSEMBLE)

    margins = [
        ENSEMBLE.judge(one.features, content_probabilities=one.content_probabilities).margins
        for one in (told, bare)
    ]
    assert complaint["added"] == pytest.approx(float(np.mean(margins[0] - margins[1])))
