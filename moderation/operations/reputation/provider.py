"""The interface of reputation providers, and the guarded client that calls them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urljoin

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.infrastructure import egress
from scoring.content import Breaker

TIMEOUT_SECONDS = 5.0
BREAKER_FAILURES, BREAKER_SECONDS = 5, 60.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_BYTES = 1_000_000


class NoAnswer(Exception):
    """The provider could not be reached, refused, or sent an invalid answer; a later query may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A provider's answer: a score, or the registration time; both None if it knows nothing."""

    value: float | None = None
    live_since_at: datetime | None = None
    detail: str = ""
    holds_for: timedelta


class Provider(Protocol):
    """A reputation provider for links."""

    name: ReputationProvider

    def subject(self, link: PostLink) -> str:
        """Return the key of the answer: a URL's digest or a domain.

        Empty if the provider cannot be queried about it.
        """

    def ask(self, link: PostLink, *, at: datetime) -> Said:
        """Return what the provider says. Raises NoAnswer."""


@dataclass(frozen=True)
class Line:
    """HTTP client of one provider: guarded, with a deadline and a circuit breaker (one minute).

    Follows as many redirects as it is told, each through the guard; none where a header holds a key.
    """

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)
    redirects: int = 0
    breaker: Breaker = field(
        default_factory=lambda: Breaker(
            failures=BREAKER_FAILURES, seconds=BREAKER_SECONDS, clock=time.monotonic
        )
    )

    def get(self, path: str, *, unknown: tuple[int, ...] = ()) -> Any:
        """Return the JSON at a path, None for a status that means "unknown to us". Raises NoAnswer.

        Raises content.Unavailable while the circuit is open.
        """
        self.breaker.check()
        try:
            answer = self._answer(path, unknown=unknown)
        except NoAnswer:
            self.breaker.record(succeeded=False)
            raise
        self.breaker.record(succeeded=True)
        return answer

    def _answer(self, path: str, *, unknown: tuple[int, ...]) -> Any:
        answer = self._followed(self.base.rstrip("/") + path)
        if answer.status in unknown:
            return None
        if answer.status != 200:
            raise NoAnswer(f"status {answer.status}")
        try:
            return json.loads(answer.body)
        except ValueError as wrong:
            raise NoAnswer("the answer is no JSON") from wrong

    def _followed(self, url: str) -> egress.Answered:
        ends_at = time.monotonic() + TIMEOUT_SECONDS
        for _ in range(self.redirects + 1):
            try:
                answer = egress.get(
                    url=url,
                    headers=self.headers,
                    timeout_seconds=ends_at - time.monotonic(),
                    most_bytes=_MOST_BYTES,
                )
            except (egress.Refused, egress.Failed) as failure:
                raise NoAnswer(str(failure)) from failure
            if answer.status not in _REDIRECTS or not answer.location or not self.redirects:
                return answer
            url = urljoin(url, answer.location)
        raise NoAnswer(f"more than {self.redirects} redirects")
