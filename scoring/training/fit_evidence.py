"""Fit what evidence adds: a head that reads its texts, and steps by which features join the main margin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from scoring.ensemble import content_margins
from scoring.evidence_model import EvidenceModel, Steps, measured
from scoring.features import collected
from scoring.platform_head import PlatformHead
from scoring.readings import Readings
from scoring.training import fit_head
from scoring.training.fit_head import Decisions
from scoring.trees import Floats

SUSPICION = 0.4
"""What circumstances may add, as in the ensemble."""
_OF_READ = ((0.0, 2.0), 6.0)
_OF_OTHERS = {"context.link_hops": ((0.0,), 5.0), "context.picture_codes": ((0.0,), 3.0)}
_OF_FLAGS = ((0.0,), 1.0)
# Prior: what was read counts as it is, and the rest nothing, give or take half a log-odds a unit.
_PENALTY = 4.0
_AS_READ = 1.0
# The odds of the head as they are, less what even odds say. Not fitted: it depends on how much was simulated.
INTERCEPT = 0.0
SPAM_SHARE = 0.2
"""Of the weight of all posts in a fit, whatever share of them was simulated."""


_READ = frozenset(feature.name for feature in collected.READ)


class TooFew(ValueError):
    """Too few posts of either sort have evidence."""


@dataclass(frozen=True, kw_only=True)
class Posts:
    """Posts with evidence as arrays of one length: main margins without it, what they are, of what kind.

    `said` is what the content model itself says of each text of `readings`.
    """

    margins: Floats
    is_spam: NDArray[np.bool_]
    weights: Floats
    kinds: NDArray[np.str_]
    readings: Readings
    said: Floats


def reader(posts: Posts, *, seed: int) -> tuple[PlatformHead, Floats]:
    """Fit the head on the texts of evidence; return it, and what heads that were fitted without posts of the
    same kind say of each text, as probabilities.

    Kinds are left out whole: pages of one kind resemble one another more than those of the next campaign.
    """
    places = np.array(posts.readings.places, dtype=np.intp)
    chosen = _some(len(places), most=fit_head.MOST_DECISIONS, seed=seed)
    texts = posts.readings.texts
    decisions = Decisions(
        grams=fit_head.grams_matrix([texts[place] for place in chosen]),
        content_margins=content_margins(posts.said[chosen]),
        is_spam=posts.is_spam[places[chosen]],
        weights=posts.weights[places[chosen]],
        groups=posts.kinds[places[chosen]],
        is_reported=np.zeros(len(chosen), dtype=np.bool_),
    )
    made = fit_head.calibrated(decisions)
    left_out = made.head.probabilities(texts, content_probabilities=posts.said)
    left_out[chosen] = 0.5 * (1.0 + np.tanh(0.5 * made.left_out))
    return made.head, left_out


def fit(rows: Floats, *, margins: Floats, is_spam: NDArray[np.bool_], weights: Floats) -> EvidenceModel:
    """Fit the steps on features (n, 11) beside main margins: the likeliest that never fall."""
    steps = {feature.name: _shape(feature.name) for feature in collected.FEATURES}
    table = np.column_stack(
        [
            shape.heights(measured(rows[:, place], name=name))
            for place, (name, shape) in enumerate(steps.items())
        ]
    )
    usual = np.concatenate([np.full(len(one.knots), _usual(name)) for name, one in steps.items()])
    signs = np.where(is_spam, 1.0, -1.0)

    def cost(found: Floats) -> tuple[float, Floats]:
        added, by_said = _added(table @ found, margins=margins)
        joined = margins + added
        # The derivative of the loss by the margins.
        slack = -signs * weights * 0.5 * (1.0 - np.tanh(0.5 * signs * joined))
        loss = float((weights * np.logaddexp(0.0, -signs * joined)).sum())
        moved = found - usual
        return loss + 0.5 * _PENALTY * float(moved @ moved), table.T @ (slack * by_said) + _PENALTY * moved

    within = [(0.0, 3.0)] * table.shape[1]
    found = minimize(cost, usual, jac=True, method="L-BFGS-B", bounds=within, options={"maxiter": 500}).x
    return EvidenceModel(steps=dict(_weighted(steps, found)), intercept=INTERCEPT, suspicion=SUSPICION)


def weighted(is_spam: NDArray[np.bool_], *, weights: Floats) -> Floats:
    """Return the weights of posts so that spam has its share of the weight of all."""
    share = float(weights[is_spam].sum() / weights.sum())
    balanced: Floats = weights * np.where(is_spam, SPAM_SHARE / share, (1.0 - SPAM_SHARE) / (1.0 - share))
    return balanced


def _added(said: Floats, *, margins: Floats) -> tuple[Floats, Floats]:
    """Return what is added to margins, and its derivative by what is said."""
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
                weights=tuple(float(one) for one in own.round(4)),
                version=shape.version,
            ),
        )


def _some(count: int, *, most: int, seed: int) -> NDArray[np.intp]:
    """Return places by chance, in order, at most so many."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, size=most, replace=False))
