"""What every reputation provider is to the product, and how each is called with care."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.infrastructure import egress
from scoring.content import Breaker

TIMEOUT_SECONDS = 5.0
BREAKER_FAILURES, BREAKER_SECONDS = 5, 60.0
_MOST_BYTES = 1_000_000


class NoAnswer(Exception):
    """The provider could not be asked, refused, or answered nonsense; another time it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A provider's answer: a score, or since when the link is live; both None where it knows nothing."""

    value: float | None = None
    live_since_at: datetime | None = None
    detail: str = ""
    holds_for: timedelta


class Provider(Protocol):
    """One of those that can be asked about a link."""

    name: ReputationProvider

    def subject(self, link: PostLink) -> str:
        """Return what the answer is about: a URL's digest or a domain; empty if it cannot be asked."""

    def ask(self, link: PostLink, *, at: datetime) -> Said:
        """Return what the provider says. Raises NoAnswer."""


@dataclass(frozen=True)
class Line:
    """The way to one provider: guarded, bounded in time, and cut off for a minute when it keeps failing."""

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)
    breaker: Breaker = field(
        default_factory=lambda: Breaker(
            failures=BREAKER_FAILURES, seconds=BREAKER_SECONDS, clock=time.monotonic
        )
    )

    def get(self, path: str, *, unknown: tuple[int, ...] = ()) -> Any:
        """Return the JSON at a path, None for a status that means "unknown to us". Raises NoAnswer.

        Raises content.Unavailable while the line is cut off.
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
        try:
            answer = egress.get(
                url=self.base.rstrip("/") + path,
                headers=self.headers,
                timeout_seconds=TIMEOUT_SECONDS,
                most_bytes=_MOST_BYTES,
            )
        except (egress.Refused, egress.Failed) as failure:
            raise NoAnswer(str(failure)) from failure
        if answer.status in unknown:
            return None
        if answer.status != 200:
            raise NoAnswer(f"status {answer.status}")
        try:
            return json.loads(answer.body)
        except ValueError as wrong:
            raise NoAnswer("the answer is no JSON") from wrong
