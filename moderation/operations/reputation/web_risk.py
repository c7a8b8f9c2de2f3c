"""Google Web Risk: is this URL listed as a threat?

https://cloud.google.com/web-risk/docs/reference/rest/v1/uris/search
"""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlencode

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.reputation.provider import Line, NoAnswer, Said

# The extended list trades precision for recall, so a match is only a suspicion.
_SURE = ("MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE")
_SUSPECTED = ("SOCIAL_ENGINEERING_EXTENDED_COVERAGE",)
_CLEAN_HOLDS_FOR = timedelta(hours=12)
_SHORTEST = timedelta(seconds=60)


class WebRisk:
    """Queries uris.search. The key is sent in a header, since URLs end up in logs."""

    name = ReputationProvider.WEB_RISK

    def __init__(self, *, address: str, key: str) -> None:
        self._line = Line(base=address, headers={"x-goog-api-key": key})

    def subject(self, link: PostLink) -> str:
        """Return the URL's digest: pages of one site differ."""
        return link.url_digest

    def ask(self, link: PostLink, *, at: datetime) -> Said:
        """Return 1 for a listed threat, 0.5 for a suspected one, 0 for neither. Raises NoAnswer."""
        query = urlencode({"threatTypes": [*_SURE, *_SUSPECTED], "uri": link.url}, doseq=True)
        answer = self._line.get(f"/v1/uris:search?{query}")
        try:
            threat = answer.get("threat")
            if not threat:
                return Said(value=0.0, holds_for=_CLEAN_HOLDS_FOR)
            kinds = [str(kind) for kind in threat["threatTypes"]]
            # A match must not be used past its time (Web Risk's terms, "expireTime").
            expires_at = datetime.fromisoformat(threat["expireTime"])
        except (AttributeError, KeyError, TypeError, ValueError) as wrong:
            raise NoAnswer(f"unexpected answer: {type(wrong).__name__}") from wrong
        return Said(
            value=1.0 if set(kinds) & set(_SURE) else 0.5,
            detail=", ".join(kinds),
            holds_for=max(_SHORTEST, expires_at - at),
        )
