"""Follow an address to what it leads to: each hop guarded, all of them together bounded in time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from moderation.evidence.addresses import absolute
from moderation.models import desk_settings
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import leads, robots
from moderation.operations.evidence.answers import Answer, Unpackable
from moderation.operations.infrastructure import egress

_MOST_DETAIL = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How addresses are fetched and bytes read; only a rehearsal, which asks no site, uses others.

    They are called as `answers.get`, `evidence.reader.Reader.read` and `leases.wait_for_site` are.
    """

    get: Callable[..., Answer]
    read: Callable[..., dict[str, Any]]
    wait: Callable[..., bool] | None = None


@dataclass(slots=True, kw_only=True)
class Journey:
    """The way from an address to what it leads to, as far as it went; all hops share the `seconds` of the
    limits. `is_browser` says to ask as a browser does, not by our own name.

    `chain` has each address with the status that it answered, None without an answer. `state` is how it
    ended; FETCHED if there is an answer to read.
    """

    url: str
    at: datetime
    means: Means
    is_browser: bool = False
    began: float = field(default_factory=time.monotonic)
    ends_at: float = field(default_factory=lambda: time.monotonic() + settings.EVIDENCE_LIMITS.seconds)
    state: EvidenceState = EvidenceState.WAITING
    detail: str = ""
    chain: list[dict[str, Any]] = field(default_factory=list)
    answer: Answer | None = None

    def end(self, state: EvidenceState, detail: str = "") -> None:
        """Note how it ended."""
        self.state, self.detail = state, detail[:_MOST_DETAIL]

    def end_redirects(self) -> None:
        """Record that there were more redirects."""
        self.end(EvidenceState.TOO_MANY_REDIRECTS, f"more than {settings.EVIDENCE_LIMITS.redirects}")


def follow(journey: Journey) -> None:
    """Fetch the current address of a journey and its redirects, until something can be read."""
    while True:
        location = _hop(journey)
        if not location:
            return
        if len(journey.chain) > settings.EVIDENCE_LIMITS.redirects:
            journey.end_redirects()
            return
        journey.url = location


def _hop(journey: Journey) -> str:
    """Fetch one address; return where it redirects to, "" if the journey ends here."""
    url = journey.url
    step: dict[str, Any] = {"url": url, "status": None}
    journey.chain.append(step)
    try:
        obeys = desk_settings.current().evidence_obeys_robots
        if obeys and not robots.allows(url, seconds=_seconds(journey)):
            journey.end(EvidenceState.DISALLOWED)
            return ""
        _wait(journey)
        answer = journey.means.get(url, seconds=_seconds(journey), is_browser=journey.is_browser)
    except egress.Refused as refused:
        journey.end(EvidenceState.REFUSED, str(refused))
    except egress.TimedOut as late:
        journey.end(EvidenceState.TIMED_OUT, str(late))
    except egress.Failed as failed:
        journey.end(EvidenceState.UNREACHABLE, str(failed))
    except Unpackable as wrong:
        journey.end(EvidenceState.TOO_LARGE if "more" in str(wrong) else EvidenceState.BROKEN, str(wrong))
    else:
        step["status"] = answer.status
        return _arrived(journey, answer)
    return ""


def _wait(journey: Journey) -> None:
    """Wait until the site may be asked that redirects lead to. Raises egress.TimedOut."""
    site, wait = leads.site(journey.url), journey.means.wait
    if wait is None or len(journey.chain) == 1 or site == leads.site(journey.chain[0]["url"]):
        return  # the lease has waited for it
    at = journey.at + timedelta(seconds=time.monotonic() - journey.began)
    if not wait(site, seconds=_seconds(journey), at=at):
        raise egress.TimedOut("Its site is asked too often by way of others.")


def _arrived(journey: Journey, answer: Answer) -> str:
    if answer.location:
        location = absolute(answer.location, url=journey.url)
        if not location:
            journey.end(EvidenceState.REFUSED, "It redirects to what is no web address.")
        return location
    journey.answer = answer
    if answer.status >= 400:
        journey.end(EvidenceState.NO_PAGE, f"status {answer.status}")
    else:
        journey.end(EvidenceState.TOO_LARGE if answer.is_cut else EvidenceState.FETCHED)
    return ""


def _seconds(journey: Journey) -> float:
    rest = journey.ends_at - time.monotonic()
    if rest <= 0:
        raise egress.TimedOut("The way was too long.")
    return min(rest, settings.EVIDENCE_LIMITS.hop_seconds)
