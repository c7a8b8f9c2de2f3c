"""Whether a site's robots.txt (RFC 9309) lets this product fetch an address, where the operator obeys it."""

from __future__ import annotations

import threading
import time
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from moderation.operations.evidence import answers
from moderation.operations.infrastructure import egress

AGENT = "Spamdesk"
"""The name that rules for this product are under."""
_MOST_BYTES = 500_000
_KEPT_SECONDS, _MOST_KEPT = 3_600.0, 1_000

_kept: dict[str, tuple[float, RobotFileParser]] = {}
_lock = threading.Lock()


def allows(url: str, *, seconds: float) -> bool:
    """Return whether the site of an address lets it be fetched; its rules are kept for an hour.

    A site without rules, or one that cannot be reached, forbids nothing: the fetch itself will say so.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    with _lock:
        until, rules = _kept.get(site, (0.0, None))
    if rules is None or until < time.monotonic():
        rules = _rules(site, seconds=seconds)
        with _lock:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[site] = (time.monotonic() + _KEPT_SECONDS, rules)
    return rules.can_fetch(AGENT, url)


def forget() -> None:
    """Drop the kept rules."""
    with _lock:
        _kept.clear()


def _rules(site: str, *, seconds: float) -> RobotFileParser:
    rules = RobotFileParser()
    rules.parse(_lines(f"{site}/robots.txt", seconds=seconds))
    return rules


def _lines(url: str, *, seconds: float) -> list[str]:
    try:
        answer = answers.get(url, seconds=seconds, most_bytes=_MOST_BYTES)
    except (egress.Refused, egress.Failed, answers.Unpackable):
        return []
    return answer.body.decode("utf-8", "replace").splitlines() if answer.status == 200 else []
