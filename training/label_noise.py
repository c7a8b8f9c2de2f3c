"""Which decisions are probably wrong: confident learning on answers of heads that did not learn them.

Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in Dataset Labels", JAIR 70 (2021),
by their library (ADR 29).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.ensemble import probabilities_of
from scoring.trees import Floats
from training.labelled_records import LabelledRecord

MOST_OF_PLATFORM = 200
"""Most suspicions written for a platform: people look at the first ones."""

_METHOD = "self_confidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A decision that is probably wrong, by the platform's own id of the post.

    `quality` in [0, 1] is that of `label_noise.quality`; the smallest is the most suspicious.
    """

    platform: str
    post: str
    is_spam: bool
    quality: float


def quality(*, is_spam: NDArray[np.bool_], spam_probability: Floats) -> Floats:
    """Return cleanlab's quality (n,) of each label in [0, 1]; the smallest is the most suspicious.

    It is the probability of the verdict that was given, less how sure heads are of that class on average:
    where few posts are spam, heads are less sure of every spam post. With one class alone it is 1.
    """
    if not _has_both(is_spam):
        return np.ones(len(is_spam))
    from cleanlab.rank import get_label_quality_scores

    scores: Floats = get_label_quality_scores(
        is_spam.astype(int), _columns(spam_probability), method=_METHOD, adjust_pred_probs=True
    )
    return scores


def suspected(*, is_spam: NDArray[np.bool_], spam_probability: Floats) -> NDArray[np.intp]:
    """Return the rows whose verdict is probably wrong, the most suspicious first.

    Their number in each class is what confident learning estimates. With one class alone there is none.
    """
    if not _has_both(is_spam):
        return np.zeros(0, dtype=np.intp)
    from cleanlab.filter import find_label_issues

    places: NDArray[np.intp] = find_label_issues(
        is_spam.astype(int),
        _columns(spam_probability),
        return_indices_ranked_by=_METHOD,
        rank_by_kwargs={"adjust_pred_probs": True},
        n_jobs=1,
    )
    return places


def _has_both(is_spam: NDArray[np.bool_]) -> bool:
    return bool(is_spam.any() and not is_spam.all())


def _columns(spam_probability: Floats) -> Floats:
    return np.column_stack([1.0 - spam_probability, spam_probability])


def suspicions(learnt: Sequence[LabelledRecord], *, left_out: Floats) -> list[Suspicion]:
    """Return the suspected decisions of a platform, the most suspicious first, MOST_OF_PLATFORM at most.

    `left_out` are log-odds (n,) by heads that learned neither from the decision nor from its group.
    """
    is_spam = np.array([post.is_spam for post in learnt], dtype=bool)
    spam_probability = probabilities_of(left_out)
    qualities = quality(is_spam=is_spam, spam_probability=spam_probability)
    worst = suspected(is_spam=is_spam, spam_probability=spam_probability)[:MOST_OF_PLATFORM]
    return [
        Suspicion(
            platform=learnt[row].platform,
            post=learnt[row].record.external_id,
            is_spam=learnt[row].is_spam,
            quality=float(qualities[row]),
        )
        for row in worst
    ]


def write(found: Iterable[Suspicion], *, path: Path) -> None:
    """Write one JSON line each; no words of posts are in them."""
    lines = [json.dumps(asdict(suspicion), ensure_ascii=False) for suspicion in found]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
