"""How fast does a platform that nobody trained on get better? Heads after 50 to 400 decisions.

.venv/bin/python -m bench adaptation_offline          (while `make run` is up, or with TRITON_URL)

Labelled texts that no part of the product was trained on are taken for a new platform that sends texts alone.
Half of their groups arrive one by one; queue and audit sample choose which of them a moderator sees, who says
what their label says. After each number of decisions the platform's head is fitted, and the other half scored
as bare posts. Beside it: the content model alone, TF-IDF with logistic regression on the same decisions, and
the ceiling, a head from all labels of the first half.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from bench import _content
from bench import _tfidf as _peer
from bench._measured import QUALITY, mean_and_worst
from scoring.pipeline import ContentProtocol
from scoring.platform_head import PlatformHead
from scoring.splits import Split
from scoring.training import head_guards, labelled_posts, train_heads
from scoring.training.fit_head import MOST_DECISIONS
from scoring.training.labelled_lines import Origin
from scoring.training.labelled_records import DECISION, LabelledRecord
from scoring.trees import Floats

FILES = [Path(f"../shared/data/{name}.jsonl") for name in ("sms_thai", "sms_hindi_mt")]
_DECISIONS = (50, 100, 200, 300, 400)
_REVIEW_FROM, _REMOVE_FROM = 0.15, 0.95
_AUDITED = 0.2
"""A platform's first day; the share falls later, which these few decisions do not reach."""


def main() -> None:
    """Print a table for each file."""
    options = _options()
    content = Remembered(_content.connect())
    for path in options.files:
        posts = posts_of(path, most=options.texts)
        print(
            f"\n{path.stem}: {len(posts)} texts, {np.mean([one.is_spam for one in posts]):.0%} spam, "
            f"{options.seeds} seeds; mean, in brackets the worst of them\n"
        )
        print("| decisions | by | ROC-AUC | PR-AUC | F1 at .5 | spam let through | honest held |")
        print("|---|---|---|---|---|---|---|")
        rows: dict[tuple[str, str], list[Measured]] = defaultdict(list)
        for seed in range(1, options.seeds + 1):
            for name, measured in _trial(posts, content=content, seed=seed):
                rows[name].append(measured)
        for (decisions, by), found in sorted(rows.items(), key=_order):
            # Where few posts are uncertain, half a file holds no 400 that reach a human.
            fewer = "" if len(found) == options.seeds else f" (of {len(found)} seeds)"
            print(f"| {decisions}{fewer} | {by} | {_cells(found)} |", flush=True)


@dataclass(frozen=True)
class Measured:
    """Quality on the unseen half; the last two are shares of the spam and of the honest posts."""

    roc_auc: float
    pr_auc: float
    f1: float
    let_through: float
    held: float


def halves(
    posts: Sequence[LabelledRecord], *, generator: np.random.Generator
) -> tuple[list[LabelledRecord], list[LabelledRecord]]:
    """Return the posts of half of the groups in the order in which they arrive, and the others."""
    groups = np.array(sorted({one.group for one in posts}))
    generator.shuffle(groups)
    known = set(groups[: len(groups) // 2])
    arriving = [one for one in posts if one.group in known]
    unseen = [one for one in posts if one.group not in known]
    generator.shuffle(arriving)
    return arriving, unseen


def _trial(
    posts: Sequence[LabelledRecord], *, content: ContentProtocol, seed: int
) -> list[tuple[tuple[str, str], Measured]]:
    generator = np.random.default_rng(seed)
    arriving, unseen = halves(posts, generator=generator)
    found = [(("0", "content alone"), _measured(_said(None, unseen, content=content), unseen))]
    decided: list[LabelledRecord] = []
    head: PlatformHead | None = None
    waiting = list(arriving)
    for wanted in _DECISIONS:
        _decide(waiting, decided, wanted=wanted, head=head, content=content, generator=generator)
        if len(decided) < wanted:
            break
        try:
            head = train_heads.fit_platform(decided, content=content).head
        except head_guards.Refused as why:
            print(f"seed {seed}, {wanted} decisions: {type(why).__name__}: {why}")
        found.append(((str(wanted), "head"), _measured(_said(head, unseen, content=content), unseen)))
        found.append(((str(wanted), "TF-IDF"), _measured(_tfidf(decided, unseen), unseen)))
    everything = arriving[:MOST_DECISIONS]
    ceiling = train_heads.fit_platform(everything, content=content).head
    found.append((("all", "head"), _measured(_said(ceiling, unseen, content=content), unseen)))
    found.append((("all", "TF-IDF"), _measured(_tfidf(everything, unseen), unseen)))
    return found


def _decide(
    waiting: list[LabelledRecord],
    decided: list[LabelledRecord],
    *,
    wanted: int,
    head: PlatformHead | None,
    content: ContentProtocol,
    generator: np.random.Generator,
) -> None:
    """Let posts arrive until so many are decided: what is uncertain is, and of the rest a sample."""
    said = _said(head, waiting, content=content)
    arrived = 0
    for one, probability in zip(waiting, said.tolist(), strict=True):
        if len(decided) == wanted:
            break
        arrived += 1
        if _REVIEW_FROM <= probability < _REMOVE_FROM:
            decided.append(one)
        elif generator.random() < _AUDITED:
            decided.append(dataclasses.replace(one, weight=1.0 / _AUDITED, is_random=True))
    del waiting[:arrived]


def _said(head: PlatformHead | None, posts: Sequence[LabelledRecord], *, content: ContentProtocol) -> Floats:
    texts = [one.record.text for one in posts]
    asked = content.probabilities(texts)
    return asked if head is None else head.probabilities(texts, content_probabilities=asked)


def _tfidf(decided: Sequence[LabelledRecord], unseen: Sequence[LabelledRecord]) -> Floats:
    return _peer.probabilities(
        [one.record.text for one in decided],
        is_spam=[one.is_spam for one in decided],
        asked=[one.record.text for one in unseen],
    )


def _measured(said: Floats, unseen: Sequence[LabelledRecord]) -> Measured:
    is_spam = np.array([one.is_spam for one in unseen])
    return Measured(
        roc_auc=float(roc_auc_score(is_spam, said)),
        pr_auc=float(average_precision_score(is_spam, said)),
        f1=float(f1_score(is_spam, said >= 0.5)),
        let_through=float((said[is_spam] < _REVIEW_FROM).mean()),
        held=float((said[~is_spam] >= _REVIEW_FROM).mean()),
    )


def _order(row: tuple[tuple[str, str], list[Measured]]) -> tuple[bool, int, str]:
    (decisions, by), _ = row
    return decisions == "all", int(decisions) if decisions.isdigit() else 0, by


def _cells(found: Sequence[Measured]) -> str:
    return " | ".join(mean_and_worst(found, *QUALITY))


def posts_of(path: Path, *, most: int) -> list[LabelledRecord]:
    """Read every part of a file as decided posts of one platform, whole groups up to `most` texts."""
    found = [
        LabelledRecord(
            record=post.record, is_spam=post.is_spam, kind=DECISION, group=post.group, origin=Origin.DECIDED
        )
        for split in Split
        for post in labelled_posts.load([path], split=split)
    ]
    groups = sorted({one.group for one in found})
    np.random.default_rng(0).shuffle(groups)
    by_group = defaultdict(list)
    for one in found:
        by_group[one.group].append(one)
    chosen: list[LabelledRecord] = []
    for group in groups:
        if len(chosen) < most:
            chosen.extend(by_group[group])
    return chosen


class Remembered:
    """Asks the content model once about each text."""

    def __init__(self, content: ContentProtocol) -> None:
        self._content = content
        self._known: dict[str, float] = {}

    def probabilities(self, texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), 64):
            part = new[start : start + 64]
            self._known.update(zip(part, self._content.probabilities(part).tolist(), strict=True))
        return np.array([self._known[text] for text in texts])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench adaptation_offline")
    parser.add_argument("--files", type=Path, nargs="+", default=FILES)
    parser.add_argument("--texts", type=int, default=2_400, help="of each file, whole groups")
    parser.add_argument("--seeds", type=int, default=3)
    return parser.parse_args()
