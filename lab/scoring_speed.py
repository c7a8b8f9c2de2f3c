"""How long does scoring take without the content model's answer? Features, trees and contributions, one core.

.venv/bin/python -m lab scoring_speed                       (needs no running product)
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from lab._shap_trees import ShapTrees
from scoring import features
from scoring.blocklist import Blocklist
from scoring.content import ContentScore
from scoring.ensemble import SUB_MODELS, Ensemble
from scoring.explain import StackExplainer
from scoring.features import Models
from scoring.links import links_in
from scoring.pipeline import Scorer
from scoring.records import AuthorSnapshot, ComplaintRecord, History, JourneyStep, Link, PostRecord
from scoring.release import Release
from scoring.tree_shap import TreeShap
from scoring.trees import Floats
from simulation.events import PostEvent
from simulation.world import World

BATCH = 256
_START = datetime(2026, 3, 1, tzinfo=UTC)
_HISTORIES = (
    "author_history",
    "ip_history",
    "ip_network_history",
    "ip_asn_history",
    "email_domain_history",
    "resembling",
    "similar",
)


class KnownContent:
    """Answers at once, so that the rest is measured."""

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return an even probability for each text."""
        return np.full(len(texts), 0.5)

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Return even logits for each text."""
        return [ContentScore((0.0, 0.0), bytes(384))] * len(texts)


def main() -> None:
    """Measure and print a table."""
    options = _options()
    release = Release.load(options.release)
    scorer = Scorer(release=release, content=KnownContent())
    records = [_record(event, seed=place) for place, event in enumerate(_posts(options.posts))]
    nothing = Blocklist()
    scorer.score_many(records[:BATCH], blocklist=nothing)  # imports and first touches
    fresh = records[BATCH:]
    singles = _timed(lambda record: scorer.score(record, blocklist=nothing), fresh)
    batches = [fresh[place : place + BATCH] for place in range(0, len(fresh) - BATCH + 1, BATCH)]
    rounds = _timed(lambda batch: scorer.score_many(batch, blocklist=nothing), batches)
    print(f"release {release.id[:12]}, {len(fresh):,} simulated posts, each scored once alone\n")
    print("| one post, ms of CPU time | p50 | p95 |\n|---|---|---|")
    print(_row("features, trees and contributions", singles))
    for name, times in _parts(release, fresh).items():
        print(_row(f"of these: {name}", times))
    rate = BATCH / statistics.median(rounds)
    print(
        f"\n{rate:,.0f} posts a second per core in batches of {BATCH} (CPU time, median of {len(batches)})\n"
    )
    print("| TreeSHAP of the four forests, µs a post | one | batches |\n|---|---|---|")
    for name, alone, many in _tree_shap(release, fresh):
        print(f"| {name} | {alone:.0f} | {many:.0f} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", type=Path, default=Path("scoring/starter"))
    parser.add_argument("--posts", type=int, default=2048 + BATCH)
    return parser.parse_args()


def _timed(act: Callable[[Any], object], given: Sequence[Any]) -> list[float]:
    """Return the CPU seconds of this process that each call took: what else the machine does is left out."""
    seconds = []
    for argument in given:
        start = time.process_time()
        act(argument)
        seconds.append(time.process_time() - start)
    return seconds


def _parts(release: Release, records: Sequence[PostRecord]) -> dict[str, list[float]]:
    """Time the three parts of scoring one post apart; caches are warm from before."""
    ensemble = Ensemble.load(release.folder)
    models = Models.load(release.folder, files=release.files)
    explainer = StackExplainer(ensemble)
    even = np.array([0.5])
    rows = [features.extract(record, models=models)[None, :] for record in records]
    judgements = [ensemble.judge(row, content_probabilities=even) for row in rows]

    def judge(row: Floats) -> None:
        _ = ensemble.judge(row, content_probabilities=even).margins

    return {
        "features": _timed(lambda record: features.extract(record, models=models), records),
        "trees": _timed(judge, rows),
        "TreeSHAP through the stack": _timed(
            lambda pair: explainer.contributions(pair[0], judgement=pair[1]),
            list(zip(rows, judgements, strict=True)),
        ),
    }


def _tree_shap(release: Release, records: Sequence[PostRecord]) -> Iterator[tuple[str, float, float]]:
    """Compare our contributions with shap's, forest by forest: microseconds alone, and in batches."""
    ensemble, models = Ensemble.load(release.folder), Models.load(release.folder, files=release.files)
    rows = np.stack([features.extract(record, models=models) for record in records])
    judgement = ensemble.judge(rows, content_probabilities=np.full(len(rows), 0.5))
    inputs = judgement.main_inputs[:, : len(SUB_MODELS)]
    forests = [(ensemble.sub_models[name], rows[:, ensemble.columns(name)]) for name in ensemble.sub_models]
    forests.append((ensemble.main, inputs))
    for name, kind in (("ours", TreeShap), ("shap", ShapTrees)):
        explainers = [(kind(forest), values) for forest, values in forests]
        yield name, _microseconds(explainers, size=1), _microseconds(explainers, size=BATCH)


def _microseconds(explainers: Sequence[tuple[TreeShap | ShapTrees, Floats]], *, size: int) -> float:
    """Return the median of a post's share of explaining so many at once by all of these."""

    def explain(start: int) -> None:
        for explainer, rows in explainers:
            explainer.shares(rows[start : start + size])

    starts = range(0, len(explainers[0][1]) - size + 1, size)
    return statistics.median(_timed(explain, starts)) / size * 1e6


def _row(name: str, seconds: Sequence[float]) -> str:
    half, most = np.percentile(1000 * np.array(seconds), [50, 95])
    return f"| {name} | {half:.2f} | {most:.2f} |"


def _posts(count: int) -> list[PostEvent]:
    world = World(seed=5, run="speed")
    events = world.run(start=_START, seconds_per_post=60, posts=count)
    return [event for event in events if isinstance(event, PostEvent)]


def _record(event: PostEvent, *, seed: int) -> PostRecord:
    """Return a record of a simulated post, its histories invented: they cost the same whatever they say."""
    payload, rng = event.payload, random.Random(seed)
    created_at = payload["author"].get("created_at")
    author = {**payload["author"], "created_at": datetime.fromisoformat(created_at) if created_at else None}
    histories: dict[str, Any] = {name: _history(event.at, rng=rng) for name in _HISTORIES}
    return PostRecord(
        platform="speed",
        external_id=payload["external_id"],
        revision=1,
        at=event.at,
        posted_at=event.at,
        text=payload["text"],
        language=payload.get("language", ""),
        author=AuthorSnapshot(**author),
        ip=payload.get("ip"),
        ip_asn=payload.get("ip_asn"),
        links=tuple(
            Link(url=link.url, host=link.host, domain=link.domain, domain_history=_history(event.at, rng=rng))
            for link in links_in(payload["text"], extra=payload.get("links", ()))
        ),
        journey=tuple(JourneyStep(**step) for step in payload.get("journey", ())),
        complaints=tuple(
            ComplaintRecord(reason="spam", reported_at=event.at, note="", reporter_confirmed=rng.randrange(9))
            for _ in range(rng.choice((0, 0, 0, 1, 5)))
        ),
        **histories,
    )


def _history(at: datetime, *, rng: random.Random) -> History:
    spam = rng.randrange(9)
    numbers: dict[str, Any] = {
        "posts": 40,
        "posts_24h": rng.randrange(9),
        "confirmed_spam": spam,
        "confirmed_not_spam": rng.randrange(9),
        "complaints": rng.randrange(9),
        "authors": rng.randrange(1, 9),
    }
    return dataclasses.replace(
        History(**numbers), first_seen_at=at - timedelta(days=rng.randrange(90)), recent_spam=spam / 2
    )
