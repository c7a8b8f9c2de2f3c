"""Scores of a release on posts with their evidence, beside those on the same posts without."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from scoring.blocklist import Blocklist
from scoring.pipeline import ContentProtocol, Scorer
from scoring.platform_head import PlatformHead
from scoring.records import PostRecord
from scoring.routing import Route
from scoring.trees import Floats
from training import compare, labelled_posts, promise
from training.labelled_records import LabelledRecord

FALSE_ALARMS = 0.01
HEAD = (
    "| file | posts (spam) | with evidence | recall | 95 % interval | ROC-AUC | spam allowed | others held "
    "| others removed |\n"
    "|---|---|---|---|---|---|---|---|---|"
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
    """The posts of a file, with evidence and without."""

    name: str
    posts: int
    spam: int
    with_evidence: int
    without: Side
    beside: Side


def measure(labelled: Sequence[LabelledRecord], *, scorer: Scorer, name: str) -> Table:
    """Score posts both ways. Raises content.Unavailable, or ValueError for posts of one sort."""
    is_spam = np.array([post.is_spam for post in labelled])
    if not 0 < is_spam.sum() < len(is_spam):
        raise ValueError(f"{name}: both sorts of posts are needed")
    clusters = np.array([post.families[0] if post.families else post.group for post in labelled])
    records = [post.record for post in labelled]
    bare, beside = (
        _side(posts, scorer=scorer, is_spam=is_spam, clusters=clusters)
        for posts in (list(map(without, records)), records)
    )
    return Table(
        name=name,
        posts=len(labelled),
        spam=int(is_spam.sum()),
        with_evidence=sum(bool(record.evidence) for record in records),
        without=bare,
        beside=beside,
    )


def recall(probabilities: Floats, *, is_spam: NDArray[np.bool_]) -> float:
    """Return the share of spam that is found at FALSE_ALARMS."""
    return compare.recall_at(is_spam.astype(np.float64), probabilities, rate=FALSE_ALARMS)


def by_language(reader: PlatformHead, *, content: ContentProtocol) -> Iterator[str]:
    """Yield the ROC-AUC of a reader on curated posts of families kept out, in English and in the rest.

    No pages in other languages are at hand. Raises content.Unavailable.
    """
    curated = labelled_posts.kept_out()
    for name, is_english in (("English", True), ("others", False)):
        posts = [post for post in curated if (post.language == "en") is is_english]
        texts = [post.record.text for post in posts]
        read = reader.probabilities(texts, scores=content.scores(texts))
        is_spam = np.array([post.is_spam for post in posts])
        draws = promise.group_draws([post.group for post in posts], seed=0, resamples=_DRAWS)
        low, high = promise.interval(promise.roc_auc(is_spam[rows], read[rows]) for rows in draws)
        yield f"{name} ({len(posts):,}) {promise.roc_auc(is_spam, read):.3f} ({low:.3f} to {high:.3f})"


def interval_of(
    probabilities: Floats, *, is_spam: NDArray[np.bool_], clusters: NDArray[np.str_]
) -> tuple[float, float]:
    """Return the 95 % interval of the recall by bootstrap over clusters: one author's texts count once."""
    order = np.argsort(clusters, kind="stable")
    draws = promise.group_draws(clusters[order], seed=0, resamples=_DRAWS)
    return promise.interval(
        recall(probabilities[rows], is_spam=is_spam[rows]) for rows in (order[draw] for draw in draws)
    )


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
        (before.roc_auc, after.roc_auc, ".3f"),
        (before.spam_allowed, after.spam_allowed, ".1%"),
        (before.others_held, after.others_held, ".1%"),
        (before.others_removed, after.others_removed, ".1%"),
    )
    return counts + "".join(f"| {left:{form}} → {right:{form}} " for left, right, form in pairs) + "|"


def without(record: PostRecord) -> PostRecord:
    """Return a record as of the first score, without evidence."""
    links = tuple(dataclasses.replace(link, hops=()) for link in record.links)
    return dataclasses.replace(record, evidence=(), links=links)


def _side(
    records: Sequence[PostRecord], *, scorer: Scorer, is_spam: NDArray[np.bool_], clusters: NDArray[np.str_]
) -> Side:
    scores = [
        score
        for start in range(0, len(records), _BATCH)
        for score in scorer.score_many(records[start : start + _BATCH], blocklist=Blocklist())
    ]
    probabilities = np.array([score.spam_probability for score in scores])
    routes = np.array([str(score.routing.route) for score in scores])
    return Side(
        interval=interval_of(probabilities, is_spam=is_spam, clusters=clusters),
        recall=recall(probabilities, is_spam=is_spam),
        roc_auc=float(roc_auc_score(is_spam, probabilities)),
        spam_allowed=float((routes[is_spam] == Route.ALLOW).mean()),
        others_held=float((routes[~is_spam] == Route.REVIEW).mean()),
        others_removed=float((routes[~is_spam] == Route.REMOVE).mean()),
    )
