"""What reputation providers would say of the simulated world's domains: patchy, and not always right.

`rows` are what a real answer makes.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from moderation.models import LinkVerdict, PostLink
from moderation.models.reputation import ReputationProvider
from simulation import hosts

_UNKNOWN_SHARE = 0.35
# Blacklists come after most visitors (Grier 2010).
_LISTED_SHARE = 0.2
_WRONGLY_LISTED_SHARE = 0.003
_OLDEST_DAYS = 9000.0
# Domains that phishers registered: 65 % in use within five days, 17 % after more than 90 (Interisle 2020).
_AGES = ((0.65, 0.0, 5.0), (0.18, 5.0, 90.0))
_HOLD = timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reputation:
    """What providers say of a domain; None where one has never heard of it."""

    threat_score: float
    trust_score: float | None
    age_days: float | None


def reputation(domain: str, *, is_spam: bool, rng: random.Random) -> Reputation:
    """Draw what is said of a domain that first appears in a spam post, or in an honest one.

    Hosts that everybody uses, and honest sites that somebody broke into, look as they are: reputation alone
    misses spam there.
    """
    is_bad = is_spam and not (hosts.is_shared(domain) or hosts.is_small_site(domain))
    listed = rng.random() < (_LISTED_SHARE if is_bad else _WRONGLY_LISTED_SHARE)
    trust = rng.betavariate(2.4, 3.4) if is_bad else rng.betavariate(4.2, 2.2)
    age_days = _bad_age_days(rng) if is_bad else rng.lognormvariate(6.8, 1.2)
    return Reputation(
        threat_score=1.0 if listed else 0.0,
        trust_score=None if rng.random() < _UNKNOWN_SHARE else round(100.0 * trust, 1),
        age_days=None if rng.random() < _UNKNOWN_SHARE else min(age_days, _OLDEST_DAYS),
    )


def rows(row: PostLink, *, said: Reputation, is_new: bool, at: datetime) -> list[LinkVerdict]:
    """Return the answers as rows, a domain's only once; they hold for a simulated year."""
    dates: dict[str, Any] = {"fetched_at": at, "expires_at": at + _HOLD}
    domain = {**dates, "subject": row.domain.name}
    verdicts = [
        LinkVerdict(
            provider=ReputationProvider.WEB_RISK, subject=row.url_digest, value=said.threat_score, **dates
        )
    ]
    if is_new and said.trust_score is not None:
        verdicts.append(LinkVerdict(provider=ReputationProvider.TRUST, value=said.trust_score, **domain))
    if is_new and said.age_days is not None:
        live_since_at = at - timedelta(days=said.age_days)
        verdicts.append(
            LinkVerdict(provider=ReputationProvider.REGISTRATION, live_since_at=live_since_at, **domain)
        )
    return verdicts


def _bad_age_days(rng: random.Random) -> float:
    place = rng.random()
    for share, youngest, oldest in _AGES:
        if place < share:
            return rng.uniform(youngest, oldest)
        place -= share
    return 90.0 + rng.lognormvariate(6.0, 1.0)
