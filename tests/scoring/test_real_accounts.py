"""Real accounts that nothing here was trained on: the shipped sub-model behaviour ranks fake ones higher."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from scoring import features
from scoring.ensemble import SUB_MODELS, Ensemble
from scoring.records import NOTHING_KNOWN
from tests.scoring.starter import STARTER
from training.promise import roc_auc

# Akyon, Kalfaoglu 2019 (arXiv 1910.03090): followers, friends and posts of Instagram accounts.
_REAL = Path(__file__).parents[3] / "shared" / "data" / "accounts_instafake.jsonl"


@pytest.mark.skipif(not _REAL.exists(), reason=f"the real accounts are not at {_REAL}")
def test_behaviour_ranks_fake_accounts_above_genuine_ones() -> None:
    accounts = [json.loads(line) for line in _REAL.read_text(encoding="utf-8").splitlines()]
    facts = ("friends", "followers", "posts")
    authors = [
        dataclasses.replace(NOTHING_KNOWN.author, **{name: account[name] for name in facts})
        for account in accounts
    ]
    posts = [dataclasses.replace(NOTHING_KNOWN, author=author) for author in authors]
    rows = np.stack([features.extract(post, models=features.NO_MODELS) for post in posts])
    ensemble = Ensemble.load(STARTER)

    margins = ensemble.sub_model_margins("behaviour", rows)

    heard = np.where(np.isnan(margins), ensemble.silent_margins[SUB_MODELS.index("behaviour")], margins)
    assert roc_auc(np.array([account["label"] == 1 for account in accounts]), heard) >= 0.75
