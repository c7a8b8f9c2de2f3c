"""From margins to probabilities, and from probabilities to thresholds; both chosen on the validation part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

from scoring.ensemble import calibrated
from scoring.release import Calibration, Thresholds
from scoring.routing import ALLOW_LEAK, REMOVE_PRECISION
from scoring.trees import Floats

AUDIT_RATE = 0.02
# The validation part is simulated, so automatic verdicts must not depend on it alone: these bounds always
# apply.
REMOVE_FLOOR = 0.95
REMOVE_FLOOR_ON_TEXTS = 0.9
"""Lower than on simulated records: these texts prove it, and no curve makes them surer than content was."""
REVIEW_CEILING = 0.30
RULE = (
    "on the validation part (simulated), by the 90 % confidence bound, removal keeps a precision of at least "
    f"{REMOVE_PRECISION:.0%} and never starts below {REMOVE_FLOOR:.2f}; at most {ALLOW_LEAK:.0%} of the "
    f"allowed are spam, and nothing from {REVIEW_CEILING:.2f} on is allowed"
)
RULE_ON_TEXTS = (
    "on real texts, each in circumstances that say nothing of its label, review "
    "begins where the worse of two shares, spam let through and others held, is least in the worst "
    f"circumstance, and not above {REVIEW_CEILING:.2f}; removal keeps a precision of at least "
    f"{REMOVE_PRECISION:.0%} in every circumstance, in all of them by the 90 % confidence bound, "
    f"and never starts below {REMOVE_FLOOR_ON_TEXTS:.2f}"
)
_FOLDS = 5
_CONFIDENCE = 0.9
_SAFEST = 0.25
"""Share of the rows within the fixed bound in which the search for a range begins: fewer prove less."""
_FAR = 20.0


class TooFewRandom(ValueError):
    """Too few random labels: scores cannot be calibrated on the others, which are a biased sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Spam probabilities of texts in one circumstance, float64 (n,), and their labels."""

    probabilities: Floats
    is_spam: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The calibration taken and the cross-validated log loss of each candidate, in nats."""

    calibration: Calibration
    log_losses: dict[str, float]


def choose_calibration(
    margins: Floats,
    *,
    is_spam: NDArray[np.bool_],
    groups: NDArray[Any],
    weights: Floats | None = None,
    among: Sequence[str] = ("platt", "isotonic"),
) -> Choice:
    """Fit curves and take the one with the lowest log loss on held-out groups: Platt's sigmoid, an isotonic
    curve, or none ("as it is"), which leaves margins as the log-odds that they are.

    Each row counts by its weight, 1 by default.
    """
    weights = np.ones(len(margins)) if weights is None else weights
    curves = {"as it is": _as_it_is, "platt": _platt, "isotonic": _isotonic}
    candidates = {name: curves[name] for name in among}
    losses = {
        name: _left_out_loss(fit, margins, is_spam=is_spam, groups=groups, weights=weights)
        for name, fit in candidates.items()
    }
    best = min(losses, key=lambda name: losses[name])
    return Choice(calibration=candidates[best](margins, is_spam, weights), log_losses=losses)


def choose_thresholds(
    probabilities: Floats, *, is_spam: NDArray[np.bool_], weights: Floats | None = None
) -> Thresholds:
    """Return the widest automatic ranges that meet the promises on these rows, within the fixed bounds.

    Automatic removal: at least 98 % spam. Automatic allowing: at most 2 % spam among the allowed. In nine of
    ten samples they hold on other posts too. Rows count by their weight, and prove as much as Kish's number
    of equal rows would (1965): few heavy ones prove little.
    """
    weights = np.ones(len(probabilities)) if weights is None else weights
    ceiling = _proven(probabilities, wrong=is_spam, weights=weights, most=ALLOW_LEAK, up_to=REVIEW_CEILING)
    removed = _proven(
        -probabilities, wrong=~is_spam, weights=weights, most=1.0 - REMOVE_PRECISION, up_to=-REMOVE_FLOOR
    )
    return Thresholds(
        # The next float above: review begins at its threshold, and the last of the allowed must not be in it.
        review_from=0.0 if ceiling is None else min(float(np.nextafter(ceiling, 1.0)), REVIEW_CEILING),
        remove_from=1.0 if removed is None else max(-removed, REMOVE_FLOOR),
        audit_rate=AUDIT_RATE,
    )


def choose_in_circumstances(outcomes: Sequence[Outcome]) -> Thresholds:
    """Return thresholds for real texts, each outcome the same texts in another circumstance.

    Review begins where the worse of two shares, spam let through and others held, is least in the worst
    circumstance. Removal begins where its precision is met in every circumstance, with the confidence bound
    of one: the same texts in several circumstances are not independent samples.
    """
    candidates = np.unique(np.concatenate([outcome.probabilities for outcome in outcomes]))
    reviews = candidates[candidates <= REVIEW_CEILING]
    shares = [
        worse_shares(outcome.probabilities, is_spam=outcome.is_spam, thresholds=reviews)
        for outcome in outcomes
    ]
    worst = np.max(shares, axis=0)
    return Thresholds(
        review_from=float(reviews[np.argmin(worst)]) if len(reviews) else 0.0,
        remove_from=choose_removal(outcomes),
        audit_rate=AUDIT_RATE,
    )


def choose_removal(outcomes: Sequence[Outcome]) -> float:
    """Return the lowest threshold of removal that is proven, at least REMOVE_FLOOR_ON_TEXTS; 1 if none is.

    Thresholds are tested from the highest down, as in `_proven`.
    """
    candidates = np.unique(np.concatenate([outcome.probabilities for outcome in outcomes]))
    sure = [int((outcome.probabilities >= REMOVE_FLOOR_ON_TEXTS).sum()) for outcome in outcomes]
    lowest = 1.0
    for threshold in candidates[candidates >= REMOVE_FLOOR_ON_TEXTS][::-1]:
        removed = [outcome.is_spam[outcome.probabilities >= threshold] for outcome in outcomes]
        each = np.array([len(flags) for flags in removed])
        if _upper(0.0, each.mean()) > 1.0 - REMOVE_PRECISION or (each < _SAFEST * np.array(sure)).any():
            continue
        wrong = np.array([(~flags).sum() for flags in removed])
        if (wrong > (1.0 - REMOVE_PRECISION) * each).any() or _upper(
            wrong.sum() / each.sum(), each.mean()
        ) > 1.0 - REMOVE_PRECISION:
            break
        lowest = float(threshold)
    return lowest


def worse_shares(
    probabilities: Floats,
    *,
    is_spam: NDArray[np.bool_],
    weights: Floats | None = None,
    thresholds: Floats,
) -> Floats:
    """Return for each threshold the larger of two shares by weight: spam under it, others from it on."""
    weights = np.ones(len(is_spam)) if weights is None else weights
    let_through, passed = (
        _share_below(probabilities[chosen], weights=weights[chosen], thresholds=thresholds)
        for chosen in (is_spam, ~is_spam)
    )
    return np.maximum(let_through, 1.0 - passed)


def share_bounds(is_spam: NDArray[np.bool_], weights: Floats, *, side: int) -> Floats:
    """Return the exact one-sided 90 % confidence bound (Clopper, Pearson 1934) of the share of spam in the
    first rows, for each number of them: upper for side 1, lower for -1.
    """
    if side < 0:
        return 1.0 - share_bounds(~is_spam, weights, side=1)
    total = np.cumsum(weights)
    return _upper(np.cumsum(weights * is_spam) / total, total**2 / np.cumsum(weights**2))


def choose_hold(opinions: Floats, *, share: float, least: float) -> float:
    """Return the bound, at least `least`, that at most this share of honest posts' opinions reach; NaN is
    silent.
    """
    values = np.nan_to_num(opinions, nan=0.0)
    bound = float(np.quantile(values, 1.0 - share, method="higher"))
    return min(max(least, bound), 1.0)


def _upper(shares: Floats | float, counts: Floats | float) -> Floats:
    # If nothing else was seen, no share below one is excluded.
    rest = np.maximum((1.0 - shares) * counts, 1e-9)
    bound: Floats = beta.ppf(_CONFIDENCE, shares * counts + 1.0, rest)
    return bound


def _proven(
    scores: Floats, *, wrong: NDArray[np.bool_], weights: Floats, most: float, up_to: float
) -> float | None:
    """Return the highest score up to which at most this share of rows is wrong, None if no range is proven.

    Ranges are tested from the safest outwards up to the first that fails, each with the whole error: valid
    without correction, as a false range passes only if the first false one does (fixed-sequence testing;
    Angelopoulos et al. 2021, arXiv 2110.01052). The first is chosen without looking at errors.
    """
    order = np.argsort(scores)
    ascending, sorted_weights = scores[order], weights[order]
    could = share_bounds(np.zeros(len(order), dtype=bool), sorted_weights, side=1) <= most
    is_end = np.append(np.diff(ascending) > 0.0, True)  # equal scores are in a range together
    first = _SAFEST * np.searchsorted(ascending, up_to, side="right")
    looks = np.flatnonzero(could & is_end & (np.arange(1, len(order) + 1) >= first))
    passed = share_bounds(wrong[order], sorted_weights, side=1)[looks] <= most
    count = int(np.argmin(np.append(passed, False)))
    return float(ascending[looks[count - 1]]) if count else None


def _share_below(probabilities: Floats, *, weights: Floats, thresholds: Floats) -> Floats:
    """Return for each threshold the share by weight that lies under it, 0 of nothing."""
    order = np.argsort(probabilities)
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    shares: Floats = below[np.searchsorted(probabilities[order], thresholds)] / max(below[-1], 1e-9)
    return shares


def _left_out_loss(
    fit: Any, margins: Floats, *, is_spam: NDArray[np.bool_], groups: NDArray[Any], weights: Floats
) -> float:
    left_out = np.zeros(len(margins))
    for train, test in GroupKFold(n_splits=_FOLDS).split(margins, groups=groups):
        curve = fit(margins[train], is_spam[train], weights[train])
        left_out[test] = calibrated(margins[test], calibration=curve)
    return float(log_loss(is_spam, left_out, labels=[False, True], sample_weight=weights))


def _as_it_is(_margins: Floats, _is_spam: NDArray[np.bool_], _weights: Floats) -> Calibration:
    return Calibration(method="platt")


def _platt(margins: Floats, is_spam: NDArray[np.bool_], weights: Floats) -> Calibration:
    model = LogisticRegression(C=1e6).fit(margins[:, None], is_spam, sample_weight=weights)
    return Calibration(method="platt", slope=float(model.coef_[0, 0]), intercept=float(model.intercept_[0]))


def _isotonic(margins: Floats, is_spam: NDArray[np.bool_], weights: Floats) -> Calibration:
    """Fit a curve that rises everywhere: knots at the centres of the isotonic steps (Oron, Flournoy 2017).

    Plain isotonic regression is a staircase, and posts on one stair would lose their order.
    """
    steps = IsotonicRegression(out_of_bounds="clip").fit_transform(
        margins, is_spam.astype(float), sample_weight=weights
    )
    heights, members = np.unique(steps, return_inverse=True)
    sizes = np.bincount(members, weights=weights)
    centres = np.bincount(members, weights=margins * weights) / sizes
    # Add half a post of each class to every step: no finite sample proves a probability of 0 or 1.
    shares = (heights * sizes + 0.5) / (sizes + 1.0)
    # Rising strictly, if only by 1e-9: the half posts may have put a small step below the one before, and
    # equal probabilities would lose the order of posts.
    shares = np.maximum.accumulate(shares) + np.arange(len(shares)) * 1e-9
    knots = np.concatenate([[centres[0] - _FAR], centres, [centres[-1] + _FAR]])
    probabilities = np.concatenate([[shares[0] / 10.0], shares, [1.0 - (1.0 - shares[-1]) / 10.0]])
    return Calibration(
        method="isotonic", margins=knots.tolist(), probabilities=np.clip(probabilities, 0, 1).tolist()
    )
