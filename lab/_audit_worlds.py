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
_SCORE_BINS = np.concatenate(([0.0], np.geomspace(1e-9, 1.0, 300)))


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
    values: Numbers = -np.expm1(times * np.log1p(-share))
    return values


def views(*, posts: int, spread: float, dice: np.random.Generator) -> Numbers | None:
    """Return how often each post was seen: log-normal around 20, whatever it says; None without a spread.

    With a spread of 1 the tenth that was seen most has 39 % of all views, with 2 it has 76 %.
    """
    return np.floor(dice.lognormal(3.0, spread, posts)) + 1.0 if spread else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededLabels:
    """Labels of posts let through for a standard error of the spam among them, by how they are drawn.

    No independent draw whose chances follow from the score alone takes fewer than `best` (Neyman 1934).
    """

    uniform: float
    by_score: float
    best: float


def needed_labels(kind: WorldKind, *, error: float, posts: int, dice: np.random.Generator) -> NeededLabels:
    """Return what a relative standard error takes in a world, for the weighted share."""
    world = week(kind, posts=posts, dice=dice)
    odds = chances(world.scores, share=1e-6, by_score=True)[~world.is_removed]
    scores, is_spam = world.scores[~world.is_removed], world.is_spam[~world.is_removed]
    share = float(is_spam.mean())
    bins = np.searchsorted(_SCORE_BINS, scores, side="right")
    of_bin = np.bincount(bins, minlength=len(_SCORE_BINS) + 1)
    spam_of_bin = np.bincount(bins, is_spam, minlength=len(of_bin)) / np.maximum(of_bin, 1)
    # The mean square of (label - share) of posts with such a score.
    spread = (spam_of_bin * (1.0 - share) ** 2 + (1.0 - spam_of_bin) * share**2)[bins]
    most = (error * share) ** 2
    return NeededLabels(
        uniform=float(spread.mean()) / most,
        by_score=float(odds.mean() * (spread / odds).mean()) / most,
        best=float(np.sqrt(spread).mean()) ** 2 / most,
    )
