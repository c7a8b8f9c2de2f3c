"""Reputation providers, and the guarded client that calls them."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlencode, urljoin

from moderation.models import PostLink
from moderation.models.reputation import ReputationProvider
from moderation.operations.infrastructure import egress
from scoring.content import Breaker

TIMEOUT_SECONDS = 5.0
BREAKER_FAILURES, BREAKER_SECONDS = 5, 60.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_BYTES = 1_000_000
_TRUST_HOLDS_FOR = timedelta(days=7)
# Web Risk: the extended list trades precision for recall, so a match is only a suspicion.
_SURE = ("MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE")
_SUSPECTED = ("SOCIAL_ENGINEERING_EXTENDED_COVERAGE",)
_CLEAN_HOLDS_FOR = timedelta(hours=12)
_SHORTEST = timedelta(seconds=60)


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

    Follows at most `redirects`, each through the guard; none where a header holds a key.
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
                answer = egress.request(
                    "GET",
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


class Trust:
    """A Web-of-Trust style provider: users' trust in a registrable domain, from 0 to 100.

    https://support.mywot.com/hc/en-us/articles/360024398673-3-Using-the-API (v3, targets)
    """

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
                return Said(holds_for=_TRUST_HOLDS_FOR)
            value = float(rating)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as wrong:
            raise NoAnswer(f"unexpected answer: {type(wrong).__name__}") from wrong
        if not 0.0 <= value <= 100.0:
            raise NoAnswer(f"a rating of {value}")
        return Said(value=value, detail=str(safety.get("status", ""))[:200], holds_for=_TRUST_HOLDS_FOR)


class WebRisk:
    """Google Web Risk: is this URL listed as a threat?

    The key is sent in a header, since URLs end up in logs.
    https://cloud.google.com/web-risk/docs/reference/rest/v1/uris/search
    """

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
