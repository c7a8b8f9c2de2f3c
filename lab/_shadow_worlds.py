"""Simulated weeks of posts that two releases score, one of them perhaps damaged on a small slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from lab import _audit_worlds
from moderation.queries.learning.shadow_figures import ALL, Routes, Slice

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[Any]

DAYS = 7
REVIEW_FROM, REMOVE_FROM = 0.3, 0.9
SPAM = 0.08
AUDIT = 0.02
_NOISE = 0.3
"""Standard deviation, in log-odds, of what each training adds to any post's margin."""

_LOST, _GAINED = -3.5, 4.5
_PLATFORMS = {"social": 0.6, "shop": 0.28, "forum": 0.1, "chat": 0.02}
_LANGUAGES = {"en": 0.6, "de": 0.2, "es": 0.12, "fr": 0.06, "th": 0.02}
_LINKS = {"none": 0.7, "known": 0.22, "new": 0.08}


class Damage(StrEnum):
    """What is wrong with the candidate, on 2 % of traffic."""

    NONE = "none: as good as live"
    LANGUAGE = "spam in one language gets through"
    PLATFORM = "spam on one platform gets through"
    HONEST = "honest posts of one platform are removed"

    @property
    def slice(self) -> Slice | None:
        """The slice that is damaged."""
        if self is Damage.NONE:
            return None
        return ("language", "th") if self is Damage.LANGUAGE else ("platform", "chat")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowWeek:
    """Posts in order of arrival, spread evenly over seven days."""

    is_spam: Flags
    live: Words
    candidate: Words
    audit: Numbers
    slices: Mapping[str, Words]

    def __len__(self) -> int:
        return len(self.is_spam)

    def counted(self, posts: int) -> dict[Slice, Counter[Routes]]:
        """Count the first posts by both routes, of all and of each slice."""
        counts: dict[Slice, Counter[Routes]] = {ALL: Counter()}
        columns = [self.slices[name][:posts].tolist() for name in self.slices]
        both = zip(self.live[:posts].tolist(), self.candidate[:posts].tolist(), strict=True)
        for routes, *values in zip(both, *columns, strict=True):
            for slice_ in (ALL, *zip(self.slices, values, strict=True)):
                counts.setdefault(slice_, Counter())[routes] += 1
        return counts


def week(damage: Damage, *, posts: int, dice: np.random.Generator) -> ShadowWeek:
    """Return a week. 8 % of posts are spam; the live release misses some and removes few honest posts."""
    is_spam = dice.random(posts) < SPAM
    slices = {
        name: dice.choice(np.asarray(list(shares), dtype=object), posts, p=list(shares.values()))
        for name, shares in (("platform", _PLATFORMS), ("language", _LANGUAGES), ("links", _LINKS))
    }
    margins = np.where(is_spam, dice.normal(2.5, 2.0, posts), dice.normal(-4.5, 1.6, posts))
    other = margins + dice.normal(0.0, _NOISE, posts)
    margins = margins + dice.normal(0.0, _NOISE, posts)
    if damage.slice is not None:
        dimension, name = damage.slice
        other = other + np.where(
            slices[dimension] == name, _GAINED if damage is Damage.HONEST else _LOST, 0.0
        )
    scores = 1.0 / (1.0 + np.exp(-margins))
    live = _routes(scores)
    audit = np.where(live == "review", 1.0, _audit_worlds.chances(scores, share=AUDIT, by_score=True))
    return ShadowWeek(
        is_spam=is_spam,
        live=live,
        candidate=_routes(1.0 / (1.0 + np.exp(-other))),
        audit=audit,
        slices=slices,
    )


def _routes(scores: Numbers) -> Words:
    return np.where(
        scores >= REMOVE_FROM, "remove", np.where(scores >= REVIEW_FROM, "review", "allow")
    ).astype(object)
