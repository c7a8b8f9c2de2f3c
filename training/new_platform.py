"""A platform that nobody trained on: quality of content on its texts, and of a head after some labels.

Labelled texts that no part of the product was trained on stand for the platform's. Beside each head stands
TF-IDF with logistic regression on the same labels.
"""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from scoring.pipeline import ContentProtocol
from scoring.splits import Split
from scoring.trees import Floats
from training import evaluate, head_guards, labelled_posts, peer, promise, train_heads
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord
from training.promise import Row

FILES = [Path("../shared/data/sms_hindi_mt.jsonl")]
_LABELS = (0, 50, 100, 200)
_DRAWS = 3
_RESAMPLES = 400
_ERROR = 0.05
_AREA = "ROC-AUC"
_PROMISES = {("sms_hindi_mt", 100, _AREA): 0.975}
"""By the file's name, labels and figure."""


def rows(paths: Sequence[Path], *, content: ContentProtocol, most: int) -> Iterator[Row]:
    """Measure each file bare and after 50, 100 and 200 labels, three draws of them, on the other half.

    The last row counts heads that certainly rank below TF-IDF. Raises content.Unavailable.
    """
    ties: list[float] = []
    for path in paths:
        posts = posts_of(path, most=most)
        results: dict[tuple[int, str], list[Floats]] = defaultdict(list)
        peers: dict[int, list[float]] = defaultdict(list)
        for seed in range(1, _DRAWS + 1):
            arriving, unseen = halves(posts, generator=np.random.default_rng(seed))
            labels = np.array([post.is_spam for post in unseen], dtype=np.float64)
            draws = promise.group_draws([post.group for post in unseen], seed=seed, resamples=_RESAMPLES)
            samples = [np.arange(len(unseen)), *draws]
            for count in (count for count in _LABELS if count <= len(arriving)):
                decisions = [dataclasses.replace(post, is_random=True) for post in arriving[:count]]
                answers = _by_head(decisions, unseen, content=content)
                values = {
                    name: np.array([measure(labels[rows], answers[rows]) for rows in samples])
                    for name, measure in evaluate.METRICS.items()
                }
                for name, drawn in values.items():
                    results[count, name].append(drawn)
                if count:
                    beside = _by_tfidf(decisions, unseen)
                    area = np.array([promise.roc_auc(labels[rows], beside[rows]) for rows in samples])
                    peers[count].append(area[0])
                    ties.append(float((values[_AREA][1:] >= area[1:]).mean()))
        for key, values_of_draws in results.items():
            yield _row(path.stem, key, values_of_draws, texts=len(posts), peers=peers[key[0]])
    # Of many comparisons some would look certain by chance: they share one error.
    below = sum(share < _ERROR / len(ties) for share in ties) if ties else math.nan
    yield Row(
        title="heads that rank below TF-IDF beyond noise",
        texts=len(ties),
        value=below,
        low=below,
        high=below,
        form="{:.0f}",
        most=0,
    )


def posts_of(path: Path, *, most: int) -> list[LabelledRecord]:
    """Read every part of a file as decided posts of one platform, whole groups up to `most` texts."""
    posts = [
        dataclasses.replace(post, origin=Origin.DECIDED)
        for split in Split
        for post in labelled_posts.load([path], split=split)
    ]
    groups = sorted({post.group for post in posts})
    np.random.default_rng(0).shuffle(groups)
    by_group = defaultdict(list)
    for post in posts:
        by_group[post.group].append(post)
    chosen: list[LabelledRecord] = []
    for group in groups:
        if len(chosen) < most:
            chosen.extend(by_group[group])
    return chosen


def halves(
    posts: Sequence[LabelledRecord], *, generator: np.random.Generator
) -> tuple[list[LabelledRecord], list[LabelledRecord]]:
    """Return the posts of half of the groups in the order in which they arrive, and the others."""
    groups = np.array(sorted({post.group for post in posts}))
    generator.shuffle(groups)
    arriving_groups = set(groups[: len(groups) // 2])
    arriving = [post for post in posts if post.group in arriving_groups]
    unseen = [post for post in posts if post.group not in arriving_groups]
    generator.shuffle(arriving)
    return arriving, unseen


def _row(
    name: str, key: tuple[int, str], drawn: Sequence[Floats], *, texts: int, peers: Sequence[float]
) -> Row:
    """Return the mean of the draws of labels; the interval is over labels and texts."""
    count, metric = key
    low, high = promise.interval(np.concatenate([draw[1:] for draw in drawn]).tolist())
    return Row(
        title=f"{name}, {f'after {count} labels' if count else 'bare'}: {metric}",
        texts=texts,
        value=float(np.mean([draw[0] for draw in drawn])),
        low=low,
        high=high,
        form="{:.3f}",
        least=_PROMISES.get((name, *key), -math.inf),
        note=f"TF-IDF {np.mean(peers):.3f}" if peers and metric == _AREA else "",
    )


def _by_head(
    decided: Sequence[LabelledRecord], unseen: Sequence[LabelledRecord], *, content: ContentProtocol
) -> Floats:
    """Return the answers of a head fitted to the decisions, of content alone if it is refused."""
    texts = [post.record.text for post in unseen]
    scores = content.scores(texts)
    try:
        head = train_heads.fit_platform(decided, content=content).head
    except head_guards.Refused:
        return np.array([score.probability for score in scores])
    return head.probabilities(texts, scores=scores)


def _by_tfidf(decided: Sequence[LabelledRecord], unseen: Sequence[LabelledRecord]) -> Floats:
    return peer.on_few(
        [post.record.text for post in decided],
        is_spam=[post.is_spam for post in decided],
        asked=[post.record.text for post in unseen],
    )
