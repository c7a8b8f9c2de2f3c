"""Registration dates of domains, by RDAP (RFC 9083, section 4.5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.reputation import registries
from moderation.operations.reputation.provider import Line, NoAnswer, Said

_HOLDS_FOR = timedelta(days=30)
_NOT_FOUND_HOLDS_FOR = timedelta(days=1)
"""A domain that was registered an hour ago may not be known there yet."""
_FAILURE_HOLDS_FOR = timedelta(hours=3)
_NOT_FOUND = (404,)
_REDIRECTS = 3
_HEADERS = {"accept": "application/rdap+json"}


class Registration:
    """Asks the registry of a domain, or one server for all of them; it needs no key.

    A failure is an answer, too, that says nothing and holds for hours: no registry is asked again with each
    post of a campaign.
    """

    name = ReputationProvider.REGISTRATION

    def __init__(self, *, address: str = "") -> None:
        """Ask the server at an address about all domains; without one, those of IANA's list."""
        self._address = address
        # One for each server, with a circuit breaker of its own: a slow registry costs its own domains alone.
        self._lines: dict[str, Line] = {}

    def subject(self, link: PostLink) -> str:
        """Return the domain; empty for an address, which was never registered, and for a suffix that no
        server answers for.
        """
        name = link.domain.name
        if name.startswith("[") or name.replace(".", "").isdigit():
            return ""
        return name if self._server(name) else ""

    def ask(self, link: PostLink, *, at: datetime) -> Said:  # noqa: ARG002 - the answer bears its own times
        """Return when the domain was registered, unknown if no registry knows or says it.

        Raises content.Unavailable while nobody is asked, since the server has failed several times.
        """
        server = self._server(link.domain.name)
        line = self._lines.setdefault(server, Line(base=server, headers=_HEADERS, redirects=_REDIRECTS))
        try:
            answer = line.get(f"/domain/{quote(link.domain.name)}", unknown=_NOT_FOUND)
            return _read(answer)
        except NoAnswer as failure:
            return Said(detail=str(failure)[:200], holds_for=_FAILURE_HOLDS_FOR)

    def _server(self, domain: str) -> str:
        return self._address or registries.current().server_of(domain)


def _read(answer: Any) -> Said:
    if answer is None:
        return Said(detail="not registered, says the registry", holds_for=_NOT_FOUND_HOLDS_FOR)
    try:
        dates = [
            datetime.fromisoformat(event["eventDate"])
            for event in answer.get("events", ())
            if event["eventAction"] == "registration"
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise NoAnswer(f"unexpected answer: {type(wrong).__name__}") from wrong
    if not dates:
        return Said(holds_for=_HOLDS_FOR)
    registered_at = min(date if date.tzinfo else date.replace(tzinfo=UTC) for date in dates)
    return Said(live_since_at=registered_at, holds_for=_HOLDS_FOR)
