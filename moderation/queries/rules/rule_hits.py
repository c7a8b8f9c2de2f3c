"""What rules in force name in a text that is no post: the page behind a link, the words in a picture.

Such a text decides nothing by itself; its reader sees what a rule would match in a post.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from moderation.models import Rule
from moderation.models.rules import IDENTIFIERS, RuleEffect, RuleKind
from moderation.queries.rules import rule_pages
from scoring import blocklist, identifiers
from scoring.identifiers import Found
from scoring.links import LinkParts, links_in

_LINKS = (RuleKind.DOMAIN.value, RuleKind.HOST.value)
_STRICT = (RuleEffect.BAN, RuleEffect.HOLD)
_WORD = re.compile(r"\w+")
_MOST_SPANS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Where a text says what rules name, as (start, end) of its characters.

    `is_named` also where nothing can be marked: what is named is written in disguise.
    """

    spans: tuple[tuple[int, int], ...] = ()
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    links: tuple[LinkParts, ...]
    found: Found


def of(texts: Sequence[str], *, at: datetime) -> list[Hits]:
    """Return what bans and holds in force name in each text, in three queries for any number of them."""
    if not any(texts):
        return [Hits()] * len(texts)
    live = Rule.objects.filter(rule_pages.live(at=at), effect__in=_STRICT).order_by()
    kinds = set(live.filter(kind__in=IDENTIFIERS).values_list("kind", flat=True).distinct())
    read = [_read(text, kinds=kinds) for text in texts]
    query = Q(kind__in=_LINKS, value__in={name for reading in read for name in _names(reading.links)})
    for kind, anchors in _anchors(read).items():
        query |= Q(kind=kind, anchor__in=anchors)
    rules = list(live.filter(query).values_list("kind", "value"))
    return [_hits(text, reading, rules) for text, reading in zip(texts, read, strict=True)]


def _read(text: str, *, kinds: Collection[str]) -> _Read:
    links = links_in(text)
    domains = {link.domain for link in links if link.domain}
    identities = identifiers.read(text, urls=[link.url for link in links], domains=domains, kinds=kinds)
    return _Read(links=links, found=identities)


def _names(links: Iterable[LinkParts]) -> set[str]:
    return {name for link in links for name in blocklist.names_of(link.host, domain=link.domain)}


def _anchors(read: Iterable[_Read]) -> dict[str, set[str]]:
    anchors: dict[str, set[str]] = defaultdict(set)
    for reading in read:
        for kind, of_text in reading.found.anchors().items():
            anchors[kind] |= of_text
    return anchors


def _hits(text: str, read: _Read, rules: Iterable[tuple[str, str]]) -> Hits:
    names = _names(read.links)
    named = [
        (kind, value)
        for kind, value in rules
        if (value in names if kind in _LINKS else read.found.holds(kind, value))
    ]
    spans = sorted({span for kind, value in named for span in _spans(text, kind, value)})
    return Hits(spans=tuple(_apart(spans))[:_MOST_SPANS], is_named=bool(named))


def _spans(text: str, kind: str, value: str) -> Iterator[tuple[int, int]]:
    """Yield where a value stands as it is written; one that is disguised is found by no plain search."""
    if kind == RuleKind.PHONE:
        parts = list(re.sub(r"\D", "", value)[-9:])
        pattern = r"\+?[\d\s().-]*?" + r"[\s().-]{0,3}".join(parts) if len(parts) > 5 else ""
    elif kind == RuleKind.HANDLE:
        pattern = re.escape(value.rpartition("/")[2].lstrip("@"))
    elif kind == RuleKind.TEXT:
        pattern = r"\W{1,5}".join(map(re.escape, _WORD.findall(value)))
    else:
        pattern = re.escape(value)
    if pattern:
        yield from (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leave out spans that begin inside one before."""
    reached = 0
    for start, end in spans:
        if start >= reached:
            yield start, end
            reached = end
