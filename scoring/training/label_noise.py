"""Which decisions are probably wrong: confident learning on what heads say that did not learn from them.

Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in Dataset Labels", JAIR 70 (2021):
the thresholds of section 3.1 and the ranking by self-confidence, for two classes (ADR 29).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.ensemble import probabilities_of
from scoring.training import fit_head
from scoring.training.fit_head import Decisions
from scoring.training.labelled_records import LabelledRecord
from scoring.trees import Floats

MOST_OF_PLATFORM = 200
"""Suspicions of one platform that are written: people look at the first ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A decision that is probably wrong, by the platform's own id of the post.

    `confidence` in [0, 1] is the probability of its verdict; the smallest is the most suspicious.
    """

    platform: str
    post: str
    is_spam: bool
    confidence: float


def ranked(*, is_spam: NDArray[np.bool_], spam_probability: Floats) -> NDArray[np.intp]:
    """Return all rows, the most suspicious first: by the probability (n,) of the verdict that was given."""
    return np.argsort(confidence(is_spam=is_spam, spam_probability=spam_probability), kind="stable")


def confidence(*, is_spam: NDArray[np.bool_], spam_probability: Floats) -> Floats:
    """Return the probability (n,) of each verdict that was given."""
    given: Floats = np.where(is_spam, spam_probability, 1.0 - spam_probability)
    return given


def suspected(*, is_spam: NDArray[np.bool_], spam_probability: Floats) -> NDArray[np.bool_]:
    """Return which verdicts (n,) the confident joint counts as the other class.

    A class is confident of a row from the mean probability of the rows labelled so; if both are, the more
    probable one is. With one class alone, nothing is suspected.
    """
    if is_spam.all() or not is_spam.any():
        return np.zeros(len(is_spam), dtype=bool)
    spam_from = spam_probability[is_spam].mean()
    fine_from = (1.0 - spam_probability)[~is_spam].mean()
    as_spam, as_fine = spam_probability >= spam_from, 1.0 - spam_probability >= fine_from
    is_more = spam_probability > 0.5
    as_spam, as_fine = as_spam & (is_more | ~as_fine), as_fine & (~is_more | ~as_spam)
    return np.where(is_spam, as_fine, as_spam)


def suspicions(learnt: Sequence[LabelledRecord], *, left_out: Floats) -> list[Suspicion]:
    """Return the suspected decisions of a platform, the most suspicious first, MOST_OF_PLATFORM at most.

    `left_out` are log-odds (n,) by heads that learned neither from the decision nor from its group.
    """
    is_spam = np.array([one.is_spam for one in learnt])
    spam_probability = probabilities_of(left_out)
    wrong = suspected(is_spam=is_spam, spam_probability=spam_probability)
    sure = confidence(is_spam=is_spam, spam_probability=spam_probability)
    order = ranked(is_spam=is_spam, spam_probability=spam_probability)
    return [
        Suspicion(
            platform=learnt[row].platform,
            post=learnt[row].record.external_id,
            is_spam=learnt[row].is_spam,
            confidence=float(sure[row]),
        )
        for row in order
        if wrong[row]
    ][:MOST_OF_PLATFORM]


def write(found: Iterable[Suspicion], *, path: Path) -> None:
    """Write one JSON line each; no words of posts are in them."""
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in found]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def left_out_probabilities(
    texts: Sequence[str], *, is_spam: NDArray[np.bool_], groups: Sequence[str]
) -> Floats:
    """Return P(spam) (n,) of texts by heads that learned from other groups' n-grams alone."""
    rows = len(texts)
    decisions = Decisions(
        grams=fit_head.grams_matrix(list(texts)),
        content_margins=np.zeros(rows),
        is_spam=is_spam,
        weights=np.ones(rows),
        groups=np.array(groups),
        is_reported=np.zeros(rows, dtype=bool),
    )
    return probabilities_of(fit_head.left_out_margins(decisions))
