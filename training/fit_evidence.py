"""Fit the steps by which features of evidence add to the main margin."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from scoring.evidence_model import Steps, measured
from scoring.features import collected
from scoring.trees import Floats

SUSPICION = 0.4
"""Bound on circumstances, as in the ensemble."""
_OF_READ = ((0.0, 2.0), 6.0)
_OF_OTHERS = {"context.link_hops": ((0.0,), 5.0), "context.picture_codes": ((0.0,), 3.0)}
_OF_FLAGS = ((0.0,), 1.0)
# Prior: readings count as they are, other features nothing, give or take half a log-odds a unit.
_PENALTY = 4.0
_AS_READ = 1.0
# The reader's odds, less even odds. Not fitted: it would depend on how much was simulated.
INTERCEPT = 0.0
SPAM_SHARE = 0.5
"""Share of spam by weight in a fit, whatever share of the posts was simulated. A fifth, as in the reader's
fit, finds a third less at 1 % false alarms: what is sure must outweigh the most suspicious honest texts.
"""
_READ = frozenset(feature.name for feature in collected.READ)


class TooFew(ValueError):
    """Too few posts of either sort have evidence."""


def fit(rows: Floats, *, margins: Floats, is_spam: NDArray[np.bool_], weights: Floats) -> dict[str, Steps]:
    """Fit the steps on features (n, 11) beside main margins: the likeliest that never fall."""
    steps = {feature.name: _shape(feature.name) for feature in collected.FEATURES}
    table = np.column_stack(
        [
            shape.heights(measured(rows[:, place], name=name))
            for place, (name, shape) in enumerate(steps.items())
        ]
    )
    usual = np.concatenate([np.full(len(step.knots), _usual(name)) for name, step in steps.items()])
    signs = np.where(is_spam, 1.0, -1.0)

    def cost(point: Floats) -> tuple[float, Floats]:
        added, by_said = _added(table @ point, margins=margins)
        joined = margins + added
        # The derivative of the loss by the margins.
        slack = -signs * weights * 0.5 * (1.0 - np.tanh(0.5 * signs * joined))
        loss = float((weights * np.logaddexp(0.0, -signs * joined)).sum())
        moved = point - usual
        return loss + 0.5 * _PENALTY * float(moved @ moved), table.T @ (slack * by_said) + _PENALTY * moved

    within = [(0.0, 3.0)] * table.shape[1]
    point = minimize(cost, usual, jac=True, method="L-BFGS-B", bounds=within, options={"maxiter": 500}).x
    return dict(_weighted(steps, point))


def _added(said: Floats, *, margins: Floats) -> tuple[Floats, Floats]:
    """Return what evidence adds to margins, and its derivative."""
    odds = np.exp(np.minimum(INTERCEPT - margins, 30.0))
    grown = np.exp(np.minimum(said, 60.0))
    whole = 1.0 + odds * (grown - 1.0)
    return np.log(whole), odds * grown / whole


def _usual(name: str) -> float:
    return _AS_READ if name in _READ else 0.0


def _shape(name: str) -> Steps:
    knots, top = _OF_READ if name in _READ else _OF_OTHERS.get(name, _OF_FLAGS)
    [version] = [feature.version for feature in collected.FEATURES if feature.name == name]
    return Steps(knots=knots, top=top, weights=(0.0,) * len(knots), version=version)


def _weighted(steps: Mapping[str, Steps], weights: Floats) -> Iterator[tuple[str, Steps]]:
    place = 0
    for name, shape in steps.items():
        own = weights[place : place + len(shape.knots)]
        place += len(own)
        yield (
            name,
            Steps(
                knots=shape.knots,
                top=shape.top,
                weights=tuple(float(weight) for weight in own.round(4)),
                version=shape.version,
            ),
        )
