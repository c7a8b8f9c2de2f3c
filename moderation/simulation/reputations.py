"""What reputation providers would say of the simulated world's domains: patchy, and not always right."""

from __future__ import annotations

import random
from dataclasses import dataclass

from moderation.simulation import material

_UNKNOWN_SHARE = 0.35
_LISTED_SHARE = 0.4
_WRONGLY_LISTED_SHARE = 0.003
_OLDEST_DAYS = 9000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reputation:
    """What providers say of a domain; None where one has never heard of it."""

    threat_score: float
    trust_score: float | None
    age_days: float | None


def reputation(domain: str, *, is_spam: bool, rng: random.Random) -> Reputation:
    """Draw what is said of a domain that first appears in a spam post, or in an honest one.

    Hosts that everybody uses are trusted whatever is posted on them: reputation alone misses spam there.
    """
    if domain in material.table("hosts")["shared"]:
        is_spam = False
    listed = rng.random() < (_LISTED_SHARE if is_spam else _WRONGLY_LISTED_SHARE)
    trust = rng.betavariate(2, 4) if is_spam else rng.betavariate(5, 2)
    # Some spammers buy old names, and some honest sites are new.
    age_days = rng.lognormvariate(3.2 if is_spam and rng.random() < 0.8 else 6.8, 1.2)
    return Reputation(
        threat_score=1.0 if listed else 0.0,
        trust_score=None if rng.random() < _UNKNOWN_SHARE else round(100.0 * trust, 1),
        age_days=None if rng.random() < _UNKNOWN_SHARE else min(age_days, _OLDEST_DAYS),
    )
