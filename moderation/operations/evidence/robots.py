"""Whether a site's robots.txt (RFC 9309) lets this product fetch an address, where the operator obeys it."""

import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes, urlsplit

from moderation.evidence.addresses import absolute
from moderation.operations.evidence import answers
from moderation.operations.infrastructure import egress

_EVERYBODY = "*"
_NAME = re.compile(r"[a-z_-]+|\*")
_MOST_RULES = 20_000


@dataclass(frozen=True, slots=True)
class Rules:
    """Paths with whether each is allowed; `*` stands for anything, a `$` at the end for the end.

    By RFC 9309 the longest rule counts. Python's own parser takes the first one, knows no `*` inside a path
    and drops a group after an empty line. Protego answers nearly alike, but keeps every rule for every name:
    a hostile site can make it take minutes.
    """

    paths: tuple[tuple[str, bool], ...] = ()

    def allow(self, url: str) -> bool:
        """Return whether an address may be fetched; without a matching rule it may."""
        parts = urlsplit(url)
        target = _plain(parts.path or "/") + (f"?{_plain(parts.query)}" if parts.query else "")
        # The most specific rule, by its length; of two such the one that allows.
        matching = [(len(path), is_allowed) for path, is_allowed in self.paths if _matches(path, target)]
        return max(matching, default=(0, True))[1]


FORBIDDEN = Rules(paths=(("/", False),))


def parse(said: str, *, name: str) -> Rules:
    """Return the rules for a name, those for everybody if no group names it."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    names: set[str] = set()
    was_rule = True
    for field, value in _lines(said):
        if field == "user-agent":
            names = set() if was_rule else names
            match = _NAME.match(value.lower())
            names |= {match[0]} & {name.lower(), _EVERYBODY} if match else set()
            was_rule = False
        else:
            was_rule = True
        for agent in names:
            rules = groups.setdefault(agent, [])  # a group without rules forbids nothing, and counts
            if was_rule and value and len(rules) < _MOST_RULES:
                rules.append((_plain(value), field == "allow"))
    return Rules(paths=tuple(groups.get(name.lower(), groups.get(_EVERYBODY, ()))))


def _lines(said: str) -> Iterator[tuple[str, str]]:
    for line in said.removeprefix("\ufeff").splitlines():
        field, separator, value = line.partition("#")[0].partition(":")
        field = field.strip().lower()
        if separator and field in ("user-agent", "allow", "disallow"):
            yield field, value.strip()


def _matches(path: str, asked: str) -> bool:
    path, is_whole = (path[:-1], True) if path.endswith("$") else (path, False)
    head, *rest = path.split("*")
    if not asked.startswith(head):
        return False
    at = len(head)
    # Each part as early as possible: then whatever follows has the most room.
    for part in rest[:-1] if is_whole else rest:
        index = asked.find(part, at)
        if index < 0:
            return False
        at = index + len(part)
    if not is_whole:
        return True
    return asked.endswith(rest[-1]) and len(asked) - len(rest[-1]) >= at if rest else len(asked) == at


def _plain(path: str) -> str:
    """Encode all paths alike: percent-encoded, except for what may stand literally."""
    return quote(unquote_to_bytes(path), safe="/*$?&=:@!'(),;+~")


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
            seconds_kept = _ERROR_KEPT_SECONDS if rules is FORBIDDEN else _KEPT_SECONDS
            _kept[site] = (time.monotonic() + seconds_kept, rules)
    return rules.allow(url)


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
        return FORBIDDEN
    body = answer.body.decode("utf-8", "replace") if answer.status == 200 else ""
    return parse(body, name=AGENT)
