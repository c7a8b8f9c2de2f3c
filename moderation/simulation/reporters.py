"""Readers who complain: honest ones, trigger-happy ones, and brigades that copy each other. Most never do."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from moderation.simulation.material import Kind

_HONEST, _TRIGGER_HAPPY, _BRIGADES, _BRIGADE_SIZE = 320, 45, 5, 16
_SILENT_SHARE = 0.3
_BRIGADE_SHARE = 0.012
_BRIGADED_KINDS = ("politics", "own_work", "crypto_talk", "news", "charity", "file_talk")
_MOST_COMPLAINTS = 30
_NOTES = (
    "",
    "",
    "",
    "",
    "same text again",
    "please look at this",
    "fake",
    "posted this ten times",
    "not ok",
    "bot?",
)
_BRIGADE_NOTES = ("remove this liar", "mass report please", "this account must go", "spreads lies, report!!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One reader's complaint, `after_seconds` after the post."""

    reporter: str
    reason: str
    note: str
    after_seconds: float


def complaints(*, kind: Kind, run: str, rng: random.Random) -> list[Complaint]:
    """Return what readers say about one post of this kind, in no order; often nothing, at times untrue."""
    if not kind.is_spam and kind.name in _BRIGADED_KINDS and rng.random() < _BRIGADE_SHARE * 4:
        return _brigade(run=run, rng=rng)
    if kind.is_spam and rng.random() < _SILENT_SHARE:
        return []
    count = min(_poisson(kind.complaints * rng.lognormvariate(0, 0.8), rng=rng), _MOST_COMPLAINTS)
    reporters = {_reporter(kind, run=run, rng=rng) for _ in range(count)}
    return [
        Complaint(
            reporter=reporter,
            reason=rng.choice(kind.reasons) if rng.random() < 0.9 else rng.choice(("spam", "other", "abuse")),
            note=rng.choice(_NOTES),
            after_seconds=rng.expovariate(1 / 2700) + 20,
        )
        for reporter in sorted(reporters)
    ]


def _reporter(kind: Kind, *, run: str, rng: random.Random) -> str:
    if rng.random() < (0.15 if kind.is_spam else 0.65):
        return f"{run}-r-hasty-{rng.randrange(_TRIGGER_HAPPY)}"
    # Some honest readers report far more often than others.
    return f"{run}-r-{int(_HONEST * rng.random() ** 2)}"


def _brigade(*, run: str, rng: random.Random) -> list[Complaint]:
    """Return the complaints of people who agreed elsewhere to silence an author."""
    brigade, reason, note = (
        rng.randrange(_BRIGADES),
        rng.choice(("spam", "abuse")),
        rng.choice(_BRIGADE_NOTES),
    )
    starts_after = rng.expovariate(1 / 1800) + 60
    members = rng.sample(range(_BRIGADE_SIZE), k=rng.randint(5, _BRIGADE_SIZE))
    return [
        Complaint(
            reporter=f"{run}-r-brigade-{brigade}-{member}",
            reason=reason,
            note=note,
            after_seconds=starts_after + rng.uniform(0, 600),
        )
        for member in members
    ]


def _poisson(mean: float, *, rng: random.Random) -> int:
    """Return a Poisson draw by Knuth's method; the means here are small."""
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count
