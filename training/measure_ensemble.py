"""Quality of an ensemble on labelled rows: ranking, calibration, routes, and what evidence adds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from scoring import features
from scoring.ensemble import MAIN_INPUTS, Ensemble, calibrated
from scoring.release import Calibration, Thresholds
from scoring.trees import Floats
from training.compare import calibration_error
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


def measure(
    rows: Rows, *, ensemble: Ensemble, calibration: Calibration, thresholds: Thresholds
) -> tuple[dict[str, float | None], Floats]:
    """Score rows with an ensemble; return the measures and the spam probabilities they rest on, float64 (n,).

    Shares are in [0, 1], None where nothing was allowed or removed; the log loss is in nats.
    """
    judgement = ensemble.judge(rows.features, content_probabilities=rows.content_probabilities)
    probabilities = calibrated(judgement.margins, calibration=calibration)
    measures = _measures(probabilities, is_spam=rows.is_spam, weights=rows.weights, thresholds=thresholds)
    return measures, probabilities


def family_pr_auc(rows: Rows, *, ensemble: Ensemble) -> dict[str, float]:
    """Return the PR-AUC of each sub-model's margin alone; a silent sub-model ranks a post as one
    about which nothing is known."""
    judgement = ensemble.judge(rows.features, content_probabilities=rows.content_probabilities)
    silent = np.append(ensemble.silent_margins, ensemble.base_rate)
    margins = np.where(np.isnan(judgement.main_inputs), silent, judgement.main_inputs)
    return {
        name: float(average_precision_score(rows.is_spam, margins[:, place], sample_weight=rows.weights))
        for place, name in enumerate(MAIN_INPUTS)
    }


def by_kind(
    kinds: Sequence[str], *, is_spam: NDArray[np.bool_], probabilities: Floats, thresholds: Thresholds
) -> list[dict[str, Any]]:
    """Return, for each kind of post, how many there are and which shares would be allowed and removed."""
    names = np.array(kinds)
    rows = []
    for name in sorted(set(kinds)):
        mask = names == name
        rows.append(
            {
                "kind": name,
                "is_spam": bool(is_spam[mask].mean() >= 0.5),
                "rows": int(mask.sum()),
                "allowed_share": float((probabilities[mask] < thresholds.review_from).mean()),
                "removed_share": float((probabilities[mask] >= thresholds.remove_from).mean()),
            }
        )
    return rows


def by_evidence(rows: Rows, *, ensemble: Ensemble) -> list[dict[str, Any]]:
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


def _measures(
    probabilities: Floats, *, is_spam: NDArray[np.bool_], weights: Floats, thresholds: Thresholds
) -> dict[str, float | None]:
    allowed = probabilities < thresholds.review_from
    removed = probabilities >= thresholds.remove_from
    return {
        "rows": len(is_spam),
        "spam": int(is_spam.sum()),
        "roc_auc": float(roc_auc_score(is_spam, probabilities, sample_weight=weights)),
        "pr_auc": float(average_precision_score(is_spam, probabilities, sample_weight=weights)),
        "log_loss": float(log_loss(is_spam, probabilities, sample_weight=weights)),
        "calibration_error": calibration_error(is_spam.astype(np.float64), probabilities, weights),
        "allowed_share": _share(allowed, weights),
        "spam_among_allowed": _share(is_spam[allowed], weights[allowed]),
        "reviewed_share": _share(~allowed & ~removed, weights),
        "removed_share": _share(removed, weights),
        "precision_of_removed": _share(is_spam[removed], weights[removed]),
    }


def _share(flags: NDArray[np.bool_], weights: Floats) -> float | None:
    return float(np.average(flags, weights=weights)) if len(flags) else None


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
