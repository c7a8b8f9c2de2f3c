"""Real accounts, genuine or fake, are told apart by what the simulated ones look like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from deploy.local.places import ROOT
from simulation.events import PostEvent
from simulation.platforms import Network
from simulation.world import World
from tests.simulation.seen import START

_REAL = ROOT.parent / "shared" / "data" / "accounts_instafake.jsonl"


@pytest.mark.skipif(not _REAL.exists(), reason=f"the real accounts are not at {_REAL}")
@pytest.mark.parametrize("network", list(Network))
def test_a_forest_of_simulated_accounts_ranks_real_ones(network: Network) -> None:
    simulated = [
        event
        for seed in range(3)
        for event in World(seed=seed, run=f"w{seed}", network=network).run(
            start=START, seconds_per_post=240, posts=2500
        )
        if isinstance(event, PostEvent) and "friends" in event.payload["author"]
    ]
    forest = RandomForestClassifier(n_estimators=150, min_samples_leaf=12, random_state=1)
    forest.fit(
        [_facts(event.payload["author"]) for event in simulated], [event.truth.is_spam for event in simulated]
    )
    accounts = [json.loads(line) for line in _REAL.read_text(encoding="utf-8").splitlines()]

    probabilities = forest.predict_proba([_facts(account) for account in accounts])[:, 1]

    assert roc_auc_score([account["label"] for account in accounts], probabilities) > 0.85


def _facts(account: dict[str, Any]) -> list[float]:
    """Return friends, followers, friends per follower and posts."""
    ratio = (account["friends"] + 1) / (account["followers"] + 1)
    return [account["friends"], account["followers"], ratio, account["posts"]]
