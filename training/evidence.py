"""Weight of evidence of a complaint and of a spammer's address: in the records, and in an ensemble."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import features
from scoring.ensemble import Ensemble
from training.ensemble_rows import Rows

# Name -> the feature that shows it, its least value, and the prefix of all features about it.
_EVIDENCE: Mapping[str, tuple[str, float, str]] = {
    "one complaint or more": ("feedback.complaints", 1.0, "feedback."),
    "the address's spam share is 0.3 or more (two of two decided posts)": (
        "context.ip_spam_share",
        0.3,
        "context.ip_",
    ),
}


def measure(rows: Rows, *, ensemble: Ensemble) -> list[dict[str, Any]]:
    """Return each piece of evidence as JSON values: posts that have it, spam among them, and two log-odds.

    `in_records` compares spam with it and without, `added` is what it adds to the ensemble's margins on
    average; None if no post has it, or every one.
    """
    measured = []
    for name, (feature, least, prefix) in _EVIDENCE.items():
        mask = rows.features[:, features.NAMES.index(feature)] >= least
        in_records = added = None
        if mask.any() and not mask.all():
            in_records = _log_odds(rows.is_spam[mask]) - _log_odds(rows.is_spam[~mask])
            added = _added(rows.taken(mask), prefix=prefix, ensemble=ensemble)
        measured.append(
            {
                "evidence": name,
                "posts": int(mask.sum()),
                "spam": int(rows.is_spam[mask].sum()),
                "in_records": in_records,
                "added": added,
            }
        )
    return measured


def _log_odds(is_spam: NDArray[np.bool_]) -> float:
    """Return the log-odds of spam, with half a post added to each class (few posts prove no certainty)."""
    return math.log((is_spam.sum() + 0.5) / ((~is_spam).sum() + 0.5))


def _added(rows: Rows, *, prefix: str, ensemble: Ensemble) -> float:
    """Return how much margins fall on average if features about the evidence are unknown."""
    columns = [place for place, name in enumerate(features.NAMES) if name.startswith(prefix)]
    without = rows.features.copy()
    without[:, columns] = ensemble.reference[columns]
    told, untold = (
        ensemble.judge(table, content_probabilities=rows.content_probabilities).margins
        for table in (rows.features, without)
    )
    return float(np.mean(told - untold))
