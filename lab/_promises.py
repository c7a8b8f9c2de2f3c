"""The promises of adaptation, compared with measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lab._measured import Measured

Found = Mapping[tuple[str, str], Sequence[Measured]]
"""Measurements by number of decisions and by whom, one for each seed, in the order of the seeds."""

BEFORE, CEILING = "0", "all"
PRODUCT, CONTENT, TFIDF = "product", "its content model", "TF-IDF"
_SHARES = {200: 0.90, 400: 0.95}
_LET_THROUGH, _HELD_POINTS, _OTHER_POINTS = 1 / 3, 0.02, 0.01
_BY_LANGUAGE = {"th": ((50, 0.93), (300, 0.97)), "hi": ((100, 0.93), (300, 0.96))}
"""ROC-AUC after so many decisions."""
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A promise with its measure for each seed; `values` is empty where it could not be asked,
    `in_words` says what numbers alone would not.

    It is held if the mean over the seeds is at least, or at most, the bound.
    """

    says: str
    values: tuple[float, ...]
    bound: float
    is_least: bool = True
    in_words: str = ""

    @property
    def is_held(self) -> bool | None:
        """Return whether it is held; None where it could not be asked."""
        if not self.values:
            return None
        above = float(np.mean(self.values)) - self.bound
        return (above if self.is_least else -above) >= -_ROUNDING

    @property
    def line(self) -> str:
        """Say the promise, its verdict, the mean over the seeds, and the lowest and highest of them."""
        sign = "≥" if self.is_least else "≤"
        asked = f"{self.says} {sign} {self.bound:.3f}"
        if not self.values:
            return f"NOT ASKED  {asked}: not so many decisions, or nothing to compare with"
        verdict = "held     " if self.is_held else "NOT HELD "
        if self.in_words:
            return f"{verdict}  {asked}: {self.in_words}"
        low, high = min(self.values), max(self.values)
        over = f"{low:.3f} to {high:.3f}, {len(self.values)} seeds"
        return f"{verdict}  {asked}: {np.mean(self.values):.3f} ({over})"


def promises(
    found: Found, *, sizes: Sequence[int], language: str, others: Sequence[Mapping[str, float]]
) -> Iterator[Promise]:
    """Yield the promises of a source. `others` holds, for each seed, by how much each other source's ROC-AUC
    and F1 changed; `language` is that of most texts.
    """
    for size, share in _SHARES.items():
        for name, measure in _OF_CEILING.items():
            yield Promise(
                says=f"after {size} decisions, share of the ceiling's {name}",
                values=_paired(found, str(size), CEILING, measure),
                bound=share,
            )
    last = str(max((size for size in sizes if _values(found, str(size))), default=0))
    yield _of_let_through(found, last)
    yield Promise(
        says=f"after {last} decisions, honest texts held, less those before",
        values=_paired(found, last, BEFORE, lambda after, before: after.held - before.held),
        bound=_HELD_POINTS,
        is_least=False,
    )
    yield Promise(
        says="change of the other source that lost most, ROC-AUC and F1",
        values=tuple(min(one.values()) for one in others if one),
        bound=-_OTHER_POINTS,
    )
    for size in sizes:
        yield Promise(
            says=f"after {size} decisions, ROC-AUC less that of TF-IDF",
            values=_beside_tfidf(found, str(size)),
            bound=0.0,
        )
    for size, least in _BY_LANGUAGE.get(language, ()):
        yield Promise(
            says=f"after {size} decisions, ROC-AUC ({language})",
            values=tuple(one.roc_auc for one in _values(found, str(size))),
            bound=least,
        )


def _of_let_through(found: Found, last: str) -> Promise:
    says = f"after {last} decisions, spam let through as a share of before"
    shares = _paired(found, last, BEFORE, partial(ratio, name="let_through"))
    return Promise(
        says=says,
        values=shares,
        bound=_LET_THROUGH,
        is_least=False,
        in_words=_of_nothing(found, last, shares),
    )


def _of_nothing(found: Found, last: str, shares: Sequence[float]) -> str:
    """Say what a share of nothing hides: where nothing is let through, all may have gone to people."""
    if not any(map(math.isinf, shares)):
        return ""
    before, after = (_values(found, name) for name in (BEFORE, last))
    return (
        f"{np.mean([one.let_through for one in after]):.1%} is now; before, none was in some seeds, and "
        f"{np.mean([one.held for one in before]):.1%} of the honest texts were held, "
        f"{np.mean([one.held for one in after]):.1%} now"
    )


def ratio(one: Measured, other: Measured, *, name: str) -> float:
    """Return a measure as a share of another's; infinite where that is 0 and it is not."""
    above, below = getattr(one, name), getattr(other, name)
    if below:
        return float(above / below)
    return math.inf if above else 0.0


_OF_CEILING = {"PR-AUC": partial(ratio, name="pr_auc"), "F1": partial(ratio, name="f1")}


def _values(found: Found, decisions: str, by: str = PRODUCT) -> Sequence[Measured]:
    return found.get((decisions, by), ())


def _paired(
    found: Found, decisions: str, beside: str, measure: Callable[[Measured, Measured], float]
) -> tuple[float, ...]:
    """Measure seed by seed; nothing unless every seed came so far."""
    first, second = _values(found, decisions), _values(found, beside)
    if len(first) != len(second):
        return ()
    return tuple(measure(one, other) for one, other in zip(first, second, strict=True))


def _beside_tfidf(found: Found, decisions: str) -> tuple[float, ...]:
    pairs = zip(_values(found, decisions), _values(found, decisions, TFIDF), strict=True)
    return tuple(product.roc_auc - peer.roc_auc for product, peer in pairs)
