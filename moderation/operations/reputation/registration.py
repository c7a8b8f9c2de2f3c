"""Registration dates of domains, by RDAP (RFC 9083, section 4.5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.reputation.provider import Line, NoAnswer, Said

_HOLDS_FOR = timedelta(days=30)
_NOT_FOUND = (404,)


class Registration:
    """Queries an RDAP server that answers for all registries; it needs no key."""

    name = ReputationProvider.REGISTRATION

    def __init__(self, *, address: str) -> None:
        self._line = Line(base=address, headers={"accept": "application/rdap+json"})

    def subject(self, link: PostLink) -> str:
        """Return the domain; empty for a host that is an address and was never registered."""
        name = link.domain.name
        return "" if name.startswith("[") or name.replace(".", "").isdigit() else name

    def ask(self, link: PostLink, *, at: datetime) -> Said:  # noqa: ARG002 - the answer bears its own times
        """Return when the domain was registered, unknown if no registry knows it. Raises NoAnswer."""
        answer = self._line.get(f"/domain/{quote(link.domain.name)}", unknown=_NOT_FOUND)
        if answer is None:
            return Said(holds_for=_HOLDS_FOR)
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
        first = min(date if date.tzinfo else date.replace(tzinfo=UTC) for date in dates)
        return Said(live_since_at=first, holds_for=_HOLDS_FOR)
