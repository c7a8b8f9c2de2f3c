"""What simulated reputation providers say of a link, as the rows that a real answer makes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from moderation.models import LinkVerdict, PostLink
from moderation.models.reputation import ReputationProvider
from simulation.reputations import Reputation

_HOLD = timedelta(days=365)


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
