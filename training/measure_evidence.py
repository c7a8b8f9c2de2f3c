"""Scores of a release on posts with their evidence, beside those on the same posts without."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from scoring.blocklist import Blocklist
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.routing import Route
from scoring.trees import Floats
from training.labelled_records import LabelledRecord

FALSE_ALARMS = 0.01
HEAD = (
    "| file | posts (spam) | with evidence | recall | 95 % interval | ROC-AUC | spam allowed | others held "
    "| others removed |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
HEAD_OF_TRICKS = (
    "| file | trick | spam | recall | 95 % interval | ROC-AUC | spam allowed |\n|---|---|---|---|---|---|---|"
)
_BATCH = 64
_DRAWS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way of scoring: recall at so few false alarms, its 95 % interval, ROC-AUC, and the shares of spam
    and of others by route.
    """

    recall: float
    interval: tuple[float, float]
    roc_auc: float
    spam_allowed: float
    others_held: float
    others_removed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The posts of a file, with evidence and without; for each trick its spam and all other posts."""

    name: str
    posts: int
    spam: int
    with_evidence: int
    without: Side
    beside: Side
    tricks: Mapping[str, Table] = field(default_factory=dict)


def measure(labelled: Sequence[LabelledRecord], *, scorer: Scorer, name: str) -> Table:
    """Score posts both ways. Raises content.Unavailable, or ValueError for posts of one sort."""
    is_spam = np.array([post.is_spam for post in labelled])
    if not 0 < is_spam.sum() < len(is_spam):
        raise ValueError(f"{name}: both sorts of posts are needed")
    bare = [dataclasses.replace(post, record=without(post.record)) for post in labelled]
    pair = _scored(bare, scorer=scorer), _scored(labelled, scorer=scorer)
    whole = _table(labelled, pair, name=name, chosen=np.ones(len(labelled), dtype=np.bool_))
    of_tricks = {
        trick: _table(labelled, pair, name=name, chosen=~is_spam | _plays(labelled, trick=trick))
        for trick in sorted({trick for post in labelled if post.is_spam for trick in post.tricks})
    }
    return dataclasses.replace(whole, tricks=of_tricks)


def recall_at(probabilities: Floats, *, is_spam: NDArray[np.bool_], false_alarms: float) -> float:
    """Return the share of spam above the lowest bound that at most this share of the others reaches.

    Equal values are all above or all below it.
    """
    others = np.sort(probabilities[~is_spam])[::-1]
    bound = others[min(int(false_alarms * len(others)), len(others) - 1)]
    return float((probabilities[is_spam] > bound).mean())


def interval_of(
    probabilities: Floats, *, is_spam: NDArray[np.bool_], clusters: NDArray[np.str_]
) -> tuple[float, float]:
    """Return the 95 % interval of the recall by bootstrap over clusters: one author's texts count once."""
    generator, names = np.random.default_rng(0), np.unique(clusters)
    members = [np.flatnonzero(clusters == name) for name in names]
    recalls = []
    for _ in range(_DRAWS):
        rows = np.concatenate([members[place] for place in generator.integers(len(names), size=len(names))])
        if 0 < is_spam[rows].sum() < len(rows):
            recalls.append(recall_at(probabilities[rows], is_spam=is_spam[rows], false_alarms=FALSE_ALARMS))
    low, high = np.percentile(recalls, (2.5, 97.5)).tolist()
    return low, high


def row(table: Table) -> str:
    """Return a line of the card."""
    before, after = table.without, table.beside
    counts = (
        f"| {table.name} | {table.posts:,} ({table.spam:,}) | {table.with_evidence:,} "
        f"| {before.recall:.1%} → {after.recall:.1%} "
        f"| {before.interval[0]:.0%} to {before.interval[1]:.0%} "
        f"→ {after.interval[0]:.0%} to {after.interval[1]:.0%} "
    )
    pairs = (
        (table.without.roc_auc, table.beside.roc_auc, ".3f"),
        (table.without.spam_allowed, table.beside.spam_allowed, ".1%"),
        (table.without.others_held, table.beside.others_held, ".1%"),
        (table.without.others_removed, table.beside.others_removed, ".1%"),
    )
    return counts + "".join(f"| {left:{form}} → {right:{form}} " for left, right, form in pairs) + "|"


def rows_of_tricks(table: Table) -> list[str]:
    """Return a line for each trick of spam: its recall at the bound of the whole file."""
    return [
        f"| {part.name} | {trick} | {part.spam:,} | {part.without.recall:.1%} → {part.beside.recall:.1%} "
        f"| {part.without.interval[0]:.0%} to {part.without.interval[1]:.0%} "
        f"→ {part.beside.interval[0]:.0%} to {part.beside.interval[1]:.0%} "
        f"| {part.without.roc_auc:.3f} → {part.beside.roc_auc:.3f} "
        f"| {part.without.spam_allowed:.1%} → {part.beside.spam_allowed:.1%} |"
        for trick, part in table.tricks.items()
    ]


def without(record: PostRecord) -> PostRecord:
    """Return a record as of the first score, without evidence."""
    links = tuple(dataclasses.replace(link, hops=()) for link in record.links)
    return dataclasses.replace(record, evidence=(), links=links)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    probabilities: Floats
    routes: NDArray[np.str_]


def _scored(labelled: Sequence[LabelledRecord], *, scorer: Scorer) -> _Scored:
    scores = [
        score
        for start in range(0, len(labelled), _BATCH)
        for score in scorer.score_many(
            [post.record for post in labelled[start : start + _BATCH]], blocklist=Blocklist()
        )
    ]
    return _Scored(
        probabilities=np.array([score.spam_probability for score in scores]),
        routes=np.array([str(score.routing.route) for score in scores]),
    )


def _plays(labelled: Sequence[LabelledRecord], *, trick: str) -> NDArray[np.bool_]:
    return np.array([post.is_spam and trick in post.tricks for post in labelled])


def _table(
    labelled: Sequence[LabelledRecord],
    scored: tuple[_Scored, _Scored],
    *,
    name: str,
    chosen: NDArray[np.bool_],
) -> Table:
    posts = [post for post, is_chosen in zip(labelled, chosen, strict=True) if is_chosen]
    is_spam = np.array([post.is_spam for post in posts])
    clusters = np.array([post.families[0] if post.families else post.group for post in posts])
    without, beside = (
        _side(scores.probabilities[chosen], scores.routes[chosen], is_spam=is_spam, clusters=clusters)
        for scores in scored
    )
    return Table(
        name=name,
        posts=len(posts),
        spam=int(is_spam.sum()),
        with_evidence=sum(bool(post.record.evidence) for post in posts),
        without=without,
        beside=beside,
    )


def _side(
    probabilities: Floats,
    routes: NDArray[np.str_],
    *,
    is_spam: NDArray[np.bool_],
    clusters: NDArray[np.str_],
) -> Side:
    return Side(
        interval=interval_of(probabilities, is_spam=is_spam, clusters=clusters),
        recall=recall_at(probabilities, is_spam=is_spam, false_alarms=FALSE_ALARMS),
        roc_auc=float(roc_auc_score(is_spam, probabilities)),
        spam_allowed=float((routes[is_spam] == Route.ALLOW).mean()),
        others_held=float((routes[~is_spam] == Route.REVIEW).mean()),
        others_removed=float((routes[~is_spam] == Route.REMOVE).mean()),
    )
