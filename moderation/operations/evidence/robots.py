"""Whether a site's robots.txt (RFC 9309) lets this product fetch an address, where the operator obeys it."""

from __future__ import annotations

import threading
import time
from urllib.parse import urlsplit

from moderation.evidence.addresses import absolute
from moderation.operations.evidence import answers, robots_rules
from moderation.operations.evidence.robots_rules import Rules
from moderation.operations.infrastructure import egress

AGENT = "Spamdesk"
"""The name that rules for this product are under."""
_MOST_BYTES = 512_000
_REDIRECTS = 5
_KEPT_SECONDS, _ERROR_KEPT_SECONDS, _MOST_KEPT = 3_600.0, 300.0, 1_000

_kept: dict[str, tuple[float, Rules]] = {}
_lock = threading.Lock()


def allows(url: str, *, seconds: float) -> bool:
    """Return whether the site of an address lets it be fetched; its rules are kept for an hour.

    A site without rules, or one that cannot be reached, forbids nothing: the fetch itself will say so. One
    that answers with an error of its own forbids everything for a while.
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
            seconds_kept = _ERROR_KEPT_SECONDS if rules is robots_rules.FORBIDDEN else _KEPT_SECONDS
            _kept[site] = (time.monotonic() + seconds_kept, rules)
    return rules.allow(url)


def forget() -> None:
    """Drop the kept rules."""
    with _lock:
        _kept.clear()


def _rules(site: str, *, seconds: float) -> Rules:
    url, ends_at = f"{site}/robots.txt", time.monotonic() + seconds
    try:
        for _ in range(_REDIRECTS + 1):
            answer = answers.get(url, seconds=max(0.0, ends_at - time.monotonic()), most_bytes=_MOST_BYTES)
            if not answer.location:
                return _said(answer)
            url = absolute(answer.location, url=url)
            if not url:
                break
    except (egress.Refused, egress.Failed, answers.Unpackable):
        pass
    return Rules()


def _said(answer: answers.Answer) -> Rules:
    if answer.status >= 500:
        return robots_rules.FORBIDDEN
    said = answer.body.decode("utf-8", "replace") if answer.status == 200 else ""
    return robots_rules.parse(said, name=AGENT)
