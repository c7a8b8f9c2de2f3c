"""Calibrate answers by Platt (Probabilistic Outputs for Support Vector Machines, 1999)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scoring.ensemble import probabilities_of
from training.evaluate import Floats

SMALL = 100
_CERTAIN = 1e-9


def fit(labels: Floats, probabilities: Floats, *, sources: Sequence[str]) -> tuple[float, float]:
    """Fit sigmoid(slope * margin + intercept) to labels; return slope and intercept.

    Every source counts the same, however many texts it has: no platform has our files' mixture. Only one
    of fewer than SMALL texts counts less.
    """
    # Platt's targets stay off 0 and 1: few texts that happen to be separable prove no certainty.
    spam = labels.sum()
    targets = np.where(labels == 1, (spam + 1) / (spam + 2), 1 / (len(labels) - spam + 2))
    return fit_to(targets, probabilities, sources=sources)


def fit_to(targets: Floats, probabilities: Floats, *, sources: Sequence[str]) -> tuple[float, float]:
    """Do as `fit` for targets in [0, 1], such as what another model says of the same texts."""
    from sklearn.linear_model import LogisticRegression

    sizes = Counter(sources)
    weights = np.array([1 / max(sizes[source], SMALL) for source in sources])
    weights *= len(targets) / weights.sum()
    column = margins(probabilities)[:, None]
    model = LogisticRegression(C=1e6).fit(
        np.concatenate([column, column]),
        np.repeat([1, 0], len(targets)),
        sample_weight=np.concatenate([weights * targets, weights * (1 - targets)]),
    )
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def applied(probabilities: Floats, *, by: tuple[float, float]) -> Floats:
    """Send probabilities through the curve."""
    slope, intercept = by
    return probabilities_of(slope * margins(probabilities) + intercept)


def margins(probabilities: Floats) -> Floats:
    """Return log-odds, those of certainty cut at 1e-9."""
    bounded = np.clip(probabilities, _CERTAIN, 1 - _CERTAIN)
    return np.asarray(np.log(bounded / (1 - bounded)), dtype=np.float64)
