"""Simulated weeks of automatic verdicts, and audit samples of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from moderation.queries.labels import audit_chance

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_REMOVED, _BLIND = 0.04, 0.01
_DRIFT = 1.5


class WorldKind(StrEnum):
    """How far the scores can be trusted."""

    CALIBRATED = "calibrated"
    DRIFTED = "drifted"
    BLIND = "blind spot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """Posts in order of arrival: their scores, whether the filter removed them, and the truth."""

    scores: Numbers
    is_removed: Flags
    is_spam: Flags


def week(kind: WorldKind, *, posts: int, dice: np.random.Generator) -> Week:
    """Return a week. 96 % of posts are allowed, 1.2 % of them spam; 4 % are removed, 2.4 % of them wrongly.

    Drifted: errors of both kinds grow from what the scores say to two and a half times that, evenly over
    the week. Blind spot: 1 % of posts are 60 % spam, with scores as all others.
    """
    is_removed = dice.random(posts) < _REMOVED
    errors = np.where(is_removed, dice.beta(0.3, 12.0, posts), dice.beta(0.15, 12.35, posts))
    scores = np.where(is_removed, 1.0 - errors, errors)
    wrong = errors
    if kind is WorldKind.DRIFTED:
        wrong = np.minimum(1.0, errors * (1.0 + _DRIFT * np.arange(posts) / posts))
    chance_of_spam = np.where(is_removed, 1.0 - wrong, wrong)
    if kind is WorldKind.BLIND:
        chance_of_spam = np.where(dice.random(posts) < _BLIND, 0.6, chance_of_spam)
    return Week(scores=scores, is_removed=is_removed, is_spam=dice.random(posts) < chance_of_spam)


def chances(scores: Numbers, *, share: float, by_score: bool) -> Numbers:
    """Return each post's chance where `share` of all is drawn: uniformly, or as the product draws."""
    if not by_score:
        return np.full(len(scores), share)
    doubts = np.sqrt(scores * (1.0 - scores))
    times = audit_chance.UNIFORM + (1.0 - audit_chance.UNIFORM) * doubts / doubts.mean()
    found: Numbers = -np.expm1(times * np.log1p(-share))
    return found
