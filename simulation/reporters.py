"""Readers who complain: few, seldom reliable, and brigades that copy each other.

Most readers never complain.
"""

import math
import random
from dataclasses import dataclass

from simulation import material
from simulation.texts import Kind

# The share of posts that anybody complains about. Over 95 % of spam is never reported, and wherever spam is
# rare most complaints are about something else.
_REPORTED_SPAM_SHARE, _REPORTED_TALK_SHARE = 0.038, 0.01
_MOST_LIKELY = 0.5
_REPORTERS, _HASTY, _CAREFUL, _BRIGADES, _BRIGADE_SIZE = 320, 45, 6, 5, 16
_HASTY_SHARE = {True: 0.15, False: 0.42}
_CAREFUL_SHARE = {True: 0.08, False: 0.01}
_BRIGADE_SHARE = 0.003
_MOST_COMPLAINTS = 30
# Log-normal: minutes where somebody looks, hours to weeks in the tail.
_MEDIAN_SECONDS, _SECONDS_SPREAD, _LONGEST_SECONDS = 480.0, 2.1, 40 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One reader's complaint, `after_seconds` after the post."""

    reporter: str
    reason: str
    note: str
    after_seconds: float


def complaints(*, kind: Kind, run: str, eagerness: float, rng: random.Random) -> list[Complaint]:
    """Return what readers say about one post of this kind, in no order; mostly nothing, often untrue.

    With an `eagerness` of 2, twice as many posts are reported as usual.
    """
    if not kind.is_spam and "brigaded" in kind.traits and rng.random() < _BRIGADE_SHARE * eagerness:
        return _brigade(run=run, rng=rng)
    if rng.random() >= min(_likelihood(kind) * eagerness, _MOST_LIKELY):
        return []
    count = min(int(rng.paretovariate(2.2)), _MOST_COMPLAINTS)
    reporters = {_reporter(kind, run=run, rng=rng) for _ in range(count)}
    return [
        Complaint(
            reporter=reporter,
            reason=rng.choice(kind.reasons)
            if rng.random() < 0.85
            else rng.choice(("spam", "other", "abuse")),
            note=rng.choice(material.table("people")["complaints"]),
            after_seconds=_delay_seconds(rng),
        )
        for reporter in sorted(reporters)
    ]


def _likelihood(kind: Kind) -> float:
    return kind.complaints * (_REPORTED_SPAM_SHARE if kind.is_spam else _REPORTED_TALK_SHARE)


def _delay_seconds(rng: random.Random) -> float:
    return min(rng.lognormvariate(math.log(_MEDIAN_SECONDS), _SECONDS_SPREAD) + 15, _LONGEST_SECONDS)


def _reporter(kind: Kind, *, run: str, rng: random.Random) -> str:
    place = rng.random()
    if place < _HASTY_SHARE[kind.is_spam]:
        return f"{run}-r-hasty-{rng.randrange(_HASTY)}"
    if place > 1 - _CAREFUL_SHARE[kind.is_spam]:
        return f"{run}-r-careful-{rng.randrange(_CAREFUL)}"
    # Some readers report far more often than others.
    return f"{run}-r-{int(_REPORTERS * rng.random() ** 2)}"


def _brigade(*, run: str, rng: random.Random) -> list[Complaint]:
    """Return the complaints of people who agreed elsewhere to silence an author."""
    brigade, reason, note = (
        rng.randrange(_BRIGADES),
        rng.choice(("spam", "abuse")),
        rng.choice(material.table("people")["brigades"]),
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
