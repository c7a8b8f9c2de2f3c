"""A Web-of-Trust style provider: users' trust in a site, from 0 to 100.

https://support.mywot.com/hc/en-us/articles/360024398673-3-Using-the-API (v3, targets)
"""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlencode

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.reputation.provider import Line, NoAnswer, Said

_HOLDS_FOR = timedelta(days=7)


class Trust:
    """Asks for the safety reputation of a registrable domain."""

    name = ReputationProvider.TRUST

    def __init__(self, *, address: str, key: str, user: str) -> None:
        self._line = Line(base=address, headers={"x-api-key": key, "x-user-id": user})

    def subject(self, link: PostLink) -> str:
        """Return the domain: people rate sites, not pages."""
        return link.domain.name

    def ask(self, link: PostLink, *, at: datetime) -> Said:  # noqa: ARG002 - the answer bears no time
        """Return the trust in the domain, unknown if too few have rated it. Raises NoAnswer."""
        answer = self._line.get(f"/v3/targets?{urlencode({'t': link.domain.name})}")
        try:
            safety = answer[0].get("safety") or {}
            rating = safety.get("reputations")
            if rating is None:
                return Said(holds_for=_HOLDS_FOR)
            value = float(rating)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as wrong:
            raise NoAnswer(f"unexpected answer: {type(wrong).__name__}") from wrong
        if not 0.0 <= value <= 100.0:
            raise NoAnswer(f"a rating of {value}")
        return Said(value=value, detail=str(safety.get("status", ""))[:200], holds_for=_HOLDS_FOR)
