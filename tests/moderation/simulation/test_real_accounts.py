"""Real accounts, genuine or fake, are told apart by what the simulated ones look like."""

from __future__ import annotations

import pytest

from bench import _real_accounts
from deploy.local.places import ROOT
from moderation.simulation.events import PostEvent
from moderation.simulation.platforms import Network
from moderation.simulation.world import World
from tests.moderation.simulation.seen import START

_REAL = ROOT.parent / "shared" / "data" / "accounts_instafake.jsonl"


@pytest.mark.skipif(not _REAL.exists(), reason=f"the real accounts are not at {_REAL}")
@pytest.mark.parametrize("network", list(Network))
def test_a_forest_of_simulated_accounts_ranks_real_ones(network: Network) -> None:
    described = [
        event
        for seed in range(3)
        for event in World(seed=seed, run=f"w{seed}", network=network).run(
            start=START, seconds_per_post=240, posts=2500
        )
        if isinstance(event, PostEvent) and "friends" in event.payload["author"]
    ]

    ranked = _real_accounts.rank(_real_accounts.load(_REAL), described=described)

    assert ranked.by_forest > 0.85
