"""What is behind a post's links and media, in order for its page, with what rules in force name there."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q

from moderation.evidence import addresses
from moderation.models import Revision, Rule
from moderation.models.rules import IDENTIFIERS, RuleEffect, RuleKind
from moderation.queries.evidence.findings import Finding, host_behind, hosts
from moderation.queries.rules import rule_pages, rules_in_force
from scoring import blocklist, identifiers
from scoring.evidence_words import words_in as words_in  # noqa: PLC0414 - pages read it from here
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


@dataclass(frozen=True, kw_only=True)
class Behind:
    """Pages and pictures with what rules name in them; addresses of media that nothing was asked of.

    `hosts` has the host that each address leads to, by the address.
    """

    pages: tuple[tuple[Finding, Hits], ...]
    pictures: tuple[tuple[Finding, Hits], ...]
    unopened: tuple[str, ...]
    hosts: Mapping[str, str]

    def host_behind(self, said: str) -> str:
        """Return the host that a code's text leads to, "" if it is no address or was not opened."""
        return host_behind(said, self.hosts)


def of(revision: Revision, findings: Sequence[Finding], *, at: datetime) -> Behind:
    """Put what was found behind a revision's addresses in order."""
    hits = named_in([finding.text for finding in findings], at=at)
    pictured = [revision] if any(finding.row.picture_group_id for finding in findings) else []
    listed = {evidence for _, evidence, _, _ in rules_in_force.listed(pictured, at=at)}
    both = [
        (finding, replace(one, is_named=one.is_named or finding.row.pk in listed))
        for finding, one in zip(findings, hits, strict=True)
    ]
    urls = {finding.row.url for finding in findings}
    return Behind(
        pages=tuple(pair for pair in both if not pair[0].is_picture),
        pictures=tuple(pair for pair in both if pair[0].is_picture),
        unopened=tuple(url for url in map(str, revision.media_urls) if addresses.of_media(url) not in urls),
        hosts=hosts(findings),
    )


@dataclass(frozen=True, slots=True)
class _Read:
    links: tuple[LinkParts, ...]
    found: Found


def named_in(texts: Sequence[str], *, at: datetime) -> list[Hits]:
    """Return what bans and holds in force name in each text, in three queries for any number of them.

    Such a text decides nothing by itself; its reader sees what a rule would match in a post.
    """
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
