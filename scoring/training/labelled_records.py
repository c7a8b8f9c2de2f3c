"""Records with the truth about them, in JSON lines: load, check, and take parts away from them."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.records import AuthorSnapshot, History, InvalidRecord, Link, LinkReputation, PostRecord

_LINKS_LOST = 0.3
_LINKS_LENT = 0.15
_LINKS_DRESSED = 0.5


class Malformed(ValueError):
    """A line that cannot be used; the message names file, line and field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRecord:
    """A record and whether it is spam; `kind` names what it simulates, near-duplicates and their authors
    share a `group`.
    """

    record: PostRecord
    is_spam: bool
    kind: str
    group: str


def load(path: Path) -> list[LabelledRecord]:
    """Read a file of lines {"record", "is_spam", "kind", "group"}. Raises Malformed for the first line that
    is wrong.
    """
    return list(_lines(path))


def _lines(path: Path) -> Iterator[LabelledRecord]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                stored = json.loads(line)
                yield LabelledRecord(
                    record=PostRecord.from_json(stored["record"]),
                    is_spam=_truth(stored["is_spam"]),
                    kind=str(stored["kind"]),
                    group=str(stored["group"]),
                )
            except (KeyError, TypeError, ValueError, InvalidRecord) as wrong:
                raise Malformed(f"{path.name}, line {number}: {type(wrong).__name__}: {wrong}") from wrong


def _truth(stored: object) -> bool:
    if not isinstance(stored, bool):
        raise TypeError("is_spam: expected true or false")
    return stored


# What a platform may not send, or not know yet. Each takes its part away as if it had never been there.


def _without_author(record: PostRecord) -> PostRecord:
    author = AuthorSnapshot(external_id=record.author.external_id, display_name=record.author.display_name)
    return dataclasses.replace(record, author=author, email_domain_history=History(), resembling=History())


def _without_histories(record: PostRecord) -> PostRecord:
    """Leave what the very first post on a platform would have: nobody and nothing was seen before."""
    links = tuple(
        dataclasses.replace(link, domain_history=History(), url_posts=0, author_posts=0)
        for link in record.links
    )
    nothing = History()
    return dataclasses.replace(
        record,
        links=links,
        author_history=nothing,
        ip_history=nothing,
        ip_network_history=nothing,
        ip_asn_history=nothing,
        email_domain_history=nothing,
        resembling=nothing,
        similar=nothing,
        same_text_by_author=0,
    )


def _without_ip(record: PostRecord) -> PostRecord:
    return dataclasses.replace(
        record,
        ip=None,
        ip_history=History(),
        ip_network_history=History(),
        ip_asn=None,
        ip_asn_history=History(),
    )


def _without_journey(record: PostRecord) -> PostRecord:
    return dataclasses.replace(record, journey=())


def _without_feedback(record: PostRecord) -> PostRecord:
    return dataclasses.replace(record, complaints=(), shares=None, comments=None)


def _without_reputation(record: PostRecord) -> PostRecord:
    links = tuple(dataclasses.replace(link, reputation=LinkReputation()) for link in record.links)
    return dataclasses.replace(record, links=links)


GAPS = (
    _without_author,
    _without_histories,
    _without_ip,
    _without_journey,
    _without_feedback,
    _without_reputation,
)


def bare(record: PostRecord) -> PostRecord:
    """Leave the text and its links: what a platform sends that sends nothing else, on its first day."""
    for gap in GAPS:
        record = gap(record)
    return record


def with_random_gaps(record: PostRecord, *, generator: np.random.Generator) -> PostRecord:
    """Leave a bare record in three cases of ten, else take away each part with probability 0.4."""
    if generator.random() < 0.3:
        return bare(record)
    for gap in GAPS:
        if generator.random() < 0.4:
            record = gap(record)
    return record


def with_links_of_another(
    one: LabelledRecord, *, honest_links: Sequence[tuple[Link, ...]], generator: np.random.Generator
) -> LabelledRecord:
    """Lend some honest posts without links those of another honest post, take some links away, and let those
    of half the spam look like honest ones.

    Whether a link means spam differs from source to source: 16 % of spam against 1 % of other texts in SMS,
    12 % against 7 % in posts on X. A model must not learn from simulated habits that every link is bad, nor
    that a plain one is good.
    """
    links = one.record.links
    if links and generator.random() < _LINKS_LOST:
        links = ()
    elif not links and honest_links and not one.is_spam and generator.random() < _LINKS_LENT:
        links = honest_links[int(generator.integers(len(honest_links)))]
    if links and honest_links and one.is_spam and generator.random() < _LINKS_DRESSED:
        links = _dressed(links, like=honest_links[int(generator.integers(len(honest_links)))])
    return dataclasses.replace(one, record=dataclasses.replace(one.record, links=links))


def _dressed(links: tuple[Link, ...], *, like: tuple[Link, ...]) -> tuple[Link, ...]:
    """Let links look like honest ones and keep their own pasts: that costs a spammer nothing."""
    return tuple(
        dataclasses.replace(link, url=model.url, host=model.host, domain=model.domain)
        for link, model in zip(links, itertools.cycle(like), strict=False)
    )
