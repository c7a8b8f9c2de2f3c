"""From margins to probabilities, and from probabilities to thresholds; both chosen on the validation part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

from scoring.ensemble import calibrated
from scoring.release import Calibration, Thresholds
from scoring.trees import Floats

AUDIT_RATE = 0.02
REMOVE_PRECISION = 0.98
ALLOW_LEAK = 0.02
# The validation part is simulated, so no automatic verdict rests on it alone: these bounds hold in any case.
REMOVE_FLOOR = 0.95
REVIEW_CEILING = 0.30
RULE = (
    "on the validation part (simulated), by the 90 % confidence bound, removal keeps a precision of at least "
    f"{REMOVE_PRECISION:.0%} and never starts below {REMOVE_FLOOR:.2f}; at most {ALLOW_LEAK:.0%} of the "
    f"allowed are spam, and nothing from {REVIEW_CEILING:.2f} on is allowed"
)
_FOLDS = 5
_ONE_SIDED_90 = 1.2816
_FAR = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The calibration taken and the cross-validated log loss of each candidate, in nats."""

    calibration: Calibration
    log_losses: dict[str, float]


def choose_calibration(margins: Floats, *, is_spam: NDArray[np.bool_], groups: NDArray[Any]) -> Choice:
    """Fit Platt's sigmoid and an isotonic curve, take the one with the lower log loss on groups left out."""
    candidates = {"platt": _platt, "isotonic": _isotonic}
    losses = {
        name: _left_out_loss(fit, margins, is_spam=is_spam, groups=groups) for name, fit in candidates.items()
    }
    best = min(losses, key=lambda name: losses[name])
    return Choice(calibration=candidates[best](margins, is_spam), log_losses=losses)


def choose_thresholds(probabilities: Floats, *, is_spam: NDArray[np.bool_]) -> Thresholds:
    """Return the widest automatic ranges that keep the promises on these rows, within the fixed bounds.

    Automatic removal: at least 98 % spam. Automatic allowing: at most 2 % spam among the allowed. The 90 %
    confidence bound must keep them, so that they are likely to hold on other posts too.
    """
    order = np.argsort(probabilities)
    ascending, spam = probabilities[order], is_spam[order].astype(float)
    counts = np.arange(1, len(order) + 1)
    leak = _bound(np.cumsum(spam), counts, side=1)
    precision = _bound(np.cumsum(spam[::-1]), counts, side=-1)[::-1]
    may_allow = np.flatnonzero(leak <= ALLOW_LEAK)
    may_remove = np.flatnonzero(precision >= REMOVE_PRECISION)
    review_from = float(np.nextafter(ascending[may_allow[-1]], 1.0)) if len(may_allow) else 0.0
    remove_from = float(ascending[may_remove[0]]) if len(may_remove) else 1.0
    return Thresholds(
        review_from=min(review_from, REVIEW_CEILING),
        remove_from=max(remove_from, REMOVE_FLOOR),
        audit_rate=AUDIT_RATE,
    )


def _bound(hits: Floats, counts: NDArray[np.int_], *, side: int) -> Floats:
    """Return Wilson's one-sided 90 % confidence bound of a share: upper for side 1, lower for -1."""
    shares, z = hits / counts, _ONE_SIDED_90
    spread = z * np.sqrt(shares * (1.0 - shares) / counts + z * z / (4.0 * counts**2))
    bound: Floats = (shares + z * z / (2.0 * counts) + side * spread) / (1.0 + z * z / counts)
    return bound


def _left_out_loss(fit: Any, margins: Floats, *, is_spam: NDArray[np.bool_], groups: NDArray[Any]) -> float:
    left_out = np.zeros(len(margins))
    for kept, tested in GroupKFold(n_splits=_FOLDS).split(margins, groups=groups):
        left_out[tested] = calibrated(margins[tested], calibration=fit(margins[kept], is_spam[kept]))
    return float(log_loss(is_spam, left_out, labels=[False, True]))


def _platt(margins: Floats, is_spam: NDArray[np.bool_]) -> Calibration:
    model = LogisticRegression(C=1e6).fit(margins[:, None], is_spam)
    return Calibration(method="platt", slope=float(model.coef_[0, 0]), intercept=float(model.intercept_[0]))


def _isotonic(margins: Floats, is_spam: NDArray[np.bool_]) -> Calibration:
    """Fit a curve that rises everywhere: knots at the centres of the isotonic steps (Oron, Flournoy 2017).

    Plain isotonic regression is a staircase, and posts on one stair would lose their order.
    """
    steps = IsotonicRegression(out_of_bounds="clip").fit_transform(margins, is_spam.astype(float))
    heights, members = np.unique(steps, return_inverse=True)
    sizes = np.bincount(members)
    centres = np.bincount(members, weights=margins) / sizes
    # Half a post of each sort in every step: no finite sample proves a probability of 0 or 1.
    shares = (heights * sizes + 0.5) / (sizes + 1.0)
    shares = np.maximum.accumulate(shares) + np.arange(len(shares)) * 1e-9
    knots = np.concatenate([[centres[0] - _FAR], centres, [centres[-1] + _FAR]])
    probabilities = np.concatenate([[shares[0] / 10.0], shares, [1.0 - (1.0 - shares[-1]) / 10.0]])
    return Calibration(
        method="isotonic", margins=knots.tolist(), probabilities=np.clip(probabilities, 0, 1).tolist()
    )
