"""What is measured of a platform's posts: how well they are told apart, and what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from scoring.trees import Floats

_SPAM_FROM = 0.5


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Spam probabilities of posts and where they went (allow, review, remove); `routes` is empty for a model
    that routes nothing.
    """

    is_spam: NDArray[np.bool_]
    probabilities: Floats
    routes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What a product answers, and what its content model said, with the platform's head if there is one."""

    product: Answers
    content: Answers


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Quality on posts of both sorts. `let_through` is the share of the spam that was allowed, `held` that of
    the honest posts that were not; `precision` is the share of spam among `removed`, NaN where none was.
    """

    roc_auc: float
    pr_auc: float
    f1: float
    let_through: float = math.nan
    held: float = math.nan
    precision: float = math.nan
    removed: int = 0

    @property
    def line(self) -> str:
        """Say it in short."""
        said = f"ROC-AUC {self.roc_auc:.3f}, PR-AUC {self.pr_auc:.3f}, F1 {self.f1:.3f}"
        return f"{said}, spam let through {self.let_through:.1%}, honest held {self.held:.1%}"


QUALITY = (
    ("roc_auc", min, ".3f"),
    ("pr_auc", min, ".3f"),
    ("f1", min, ".3f"),
    ("let_through", max, ".1%"),
    ("held", max, ".1%"),
)
"""The columns of quality of `mean_and_worst`."""


def mean_and_worst(rows: Sequence[object], *columns: tuple[str, Callable[..., float], str]) -> list[str]:
    """Return a cell for each column (attribute, min or max, format): the mean and the worst of the rows;
    empty where a row has no such figure (NaN).
    """
    cells = []
    for name, worst, form in columns:
        values = [float(getattr(row, name)) for row in rows]
        is_known = not any(map(math.isnan, values))
        cells.append(f"{fmean(values):{form}} ({worst(values):{form}})" if is_known else "")
    return cells


def measured(answers: Answers) -> Measured:
    """Measure answers to posts of which some are spam and some are not."""
    is_spam, said = answers.is_spam, answers.probabilities
    roc_auc = float(roc_auc_score(is_spam, said))
    pr_auc = float(average_precision_score(is_spam, said))
    f1 = float(f1_score(is_spam, said >= _SPAM_FROM))
    if not answers.routes:
        return Measured(roc_auc=roc_auc, pr_auc=pr_auc, f1=f1)
    routes = np.array(answers.routes)
    removed = routes == "remove"
    return Measured(
        roc_auc=roc_auc,
        pr_auc=pr_auc,
        f1=f1,
        let_through=float((routes[is_spam] == "allow").mean()),
        held=float((routes[~is_spam] != "allow").mean()),
        precision=float(is_spam[removed].mean()) if removed.any() else math.nan,
        removed=int(removed.sum()),
    )
