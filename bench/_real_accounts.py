"""Real accounts, genuine or fake, beside simulated ones: how well a forest of the latter ranks them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from moderation.simulation.events import PostEvent

Account = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ranked:
    """How well real accounts are told apart, fake from genuine, as ROC-AUC."""

    accounts: int
    fakes: int
    by_forest: float
    by_ratio: float


def load(path: Path) -> list[Account]:
    """Read JSON lines of real accounts: friends, followers, posts, label (1 is fake)."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rank(accounts: Sequence[Account], *, described: Sequence[PostEvent]) -> Ranked:
    """Rank real accounts by a forest that saw simulated ones only, its directions left free."""
    truths = [account["label"] for account in accounts]
    forest = RandomForestClassifier(n_estimators=150, min_samples_leaf=12, random_state=1)
    forest.fit(
        [facts(post.payload["author"]) for post in described], [post.truth.is_spam for post in described]
    )
    rows = [facts(account) for account in accounts]
    return Ranked(
        accounts=len(accounts),
        fakes=sum(truths),
        by_forest=float(roc_auc_score(truths, forest.predict_proba(rows)[:, 1])),
        by_ratio=float(roc_auc_score(truths, [row[2] for row in rows])),
    )


def facts(account: Account) -> list[float]:
    """Return friends, followers, friends per follower and posts."""
    ratio = (account["friends"] + 1) / (account["followers"] + 1)
    return [account["friends"], account["followers"], ratio, account["posts"]]


def going_together(accounts: Iterable[Account]) -> dict[str, float]:
    """Return how far the logarithms of the counts are correlated, by pair."""
    friends, followers, _, posts = np.log1p([facts(account) for account in accounts]).T
    pairs = {
        "friends with followers": (friends, followers),
        "friends with posts": (friends, posts),
        "followers with posts": (followers, posts),
    }
    return {name: float(np.corrcoef(*pair)[0, 1]) for name, pair in pairs.items()}
