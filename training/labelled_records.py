"""Labelled records, simulated or decided: loading, and variants with parts removed."""

import argparse
import base64
import dataclasses
import functools
import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.content import ContentScore
from scoring.known_domains import popular_domains
from scoring.links import links_in
from scoring.records import AuthorSnapshot, History, InvalidRecord, Link, LinkReputation, PostRecord
from scoring.release import file_sha256
from training import labelled_lines
from training.labelled_lines import LabelledLine, Malformed, Origin

_LINKS_LOST = 0.3
_LINKS_LENT = 0.15
_LINKS_DRESSED = 0.5
_LINKS_OBVIOUS = 0.3
_PASSES_FOR = str.maketrans("oeilas", "031145")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRecord:
    """A record and whether it is spam; `kind` names what it simulates, near-duplicates and their authors
    share a `group`. `families` word the pages of a simulated post.

    `weight` is the number of posts that it represents, 0 for no other; `is_random` says that chance alone
    brought it to a human. `content_score` is the answer of `content_model` (Release.content_model), None if
    not exported.
    """

    record: PostRecord
    is_spam: bool
    group: str
    kind: str = ""
    weight: float = 1.0
    origin: Origin = Origin.SIMULATED
    is_random: bool = False
    content_score: ContentScore | None = None
    content_model: str = ""
    families: tuple[str, ...] = ()

    @property
    def platform(self) -> str:
        """Return the slug of the platform that the post stands on."""
        return self.record.platform


DECISION = "decision"
"""The kind of a record that was decided, not simulated."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the training data: simulated records, exports of decisions, or both."""
    parser.add_argument(
        "--records", type=Path, nargs="+", default=[], help="records.jsonl of manage.py simulate_records"
    )
    parser.add_argument(
        "--labels",
        type=Path,
        nargs="+",
        default=[],
        help="exports of decisions as JSON lines, oldest first; they outweigh what was simulated",
    )


def given(paths: Sequence[Path]) -> list[LabelledRecord]:
    """Load simulated records and decisions. Raises Malformed, also if there is no file."""
    if not paths:
        raise Malformed("nothing to learn from: give --records, --labels or both")
    return load(*paths)


def sources(paths: Sequence[Path]) -> dict[str, str]:
    """Name the files and one SHA-256 over theirs, for the manifest; a single file has its own."""
    digests = [file_sha256(path) for path in paths]
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return {"file": ", ".join(path.name for path in paths), "sha256": whole}


def load(*paths: Path, with_reported: bool = False) -> list[LabelledRecord]:
    """Read simulated records {"record", "is_spam", "kind", "group"} and exports of decisions.

    A decision that stands for no other post (reached by a complaint, an appeal or a second look: weight 0)
    is left out unless `with_reported`. Raises Malformed for the first line that is wrong.
    """
    posts = [labelled(line) for line in labelled_lines.read_all(paths)]
    return [post for post in posts if post.weight > 0.0 or with_reported]


def labelled(line: LabelledLine) -> LabelledRecord:
    """Make a record of a line that is a simulated record or a decision. Raises Malformed."""
    stored = line.stored
    try:
        if line.origin is Origin.DECIDED:
            provenance = stored.get("provenance", {})
            score = provenance.get("content_score")
            return LabelledRecord(
                record=PostRecord.from_json(stored["record"]),
                is_spam=_decided(stored["label"]),
                kind=DECISION,
                group=str(stored["group"]),
                weight=line.weight,
                origin=Origin.DECIDED,
                is_random=line.is_random,
                content_score=ContentScore.from_bytes(base64.b64decode(score)) if score else None,
                content_model=str(provenance.get("content_model", "")),
            )
        return LabelledRecord(
            record=PostRecord.from_json(stored["record"]),
            is_spam=_truth(stored["is_spam"]),
            kind=str(stored["kind"]),
            group=str(stored["group"]),
            families=tuple(map(str, stored.get("families", ()))),
        )
    except (KeyError, TypeError, ValueError, InvalidRecord) as wrong:
        if isinstance(wrong, Malformed):
            raise
        raise Malformed(f"{line.where}: {type(wrong).__name__}: {wrong}") from wrong


def _truth(stored: object) -> bool:
    if not isinstance(stored, bool):
        raise TypeError("is_spam: expected true or false")
    return stored


def _decided(stored: object) -> bool:
    if isinstance(stored, bool) or stored not in (0, 1):
        raise TypeError(f"label: expected 0 or 1, got {stored!r}")
    return stored == 1


# Parts that a platform may not send, or not know yet. Each function removes its part without a trace.


def _without_author(record: PostRecord) -> PostRecord:
    author = AuthorSnapshot(external_id=record.author.external_id, display_name=record.author.display_name)
    return dataclasses.replace(record, author=author, email_domain_history=History(), resembling=History())


def _without_histories(record: PostRecord) -> PostRecord:
    """Remove all histories, as for the very first post on a platform."""
    links = tuple(
        dataclasses.replace(link, domain_history=History(), url_posts=0, author_posts=0)
        for link in record.links
    )
    return dataclasses.replace(record, links=links, same_text_by_author=0, **_NO_HISTORIES)


def _without_reputation(record: PostRecord) -> PostRecord:
    links = tuple(dataclasses.replace(link, reputation=LinkReputation()) for link in record.links)
    return dataclasses.replace(record, links=links)


_NO_ADDRESSES: dict[str, Any] = dict.fromkeys(
    ("ip_history", "ip_network_history", "ip_asn_history"), History()
)
_NO_HISTORIES = _NO_ADDRESSES | dict.fromkeys(
    ("author_history", "email_domain_history", "resembling", "similar"), History()
)
GAPS: tuple[Callable[[PostRecord], PostRecord], ...] = (
    _without_author,
    _without_histories,
    partial(dataclasses.replace, ip=None, ip_asn=None, **_NO_ADDRESSES),
    partial(dataclasses.replace, journey=()),
    partial(dataclasses.replace, complaints=(), shares=None, comments=None),
    _without_reputation,
)


def bare(record: PostRecord) -> PostRecord:
    """Leave only the text and its links, as of a platform that sends nothing else on its first day."""
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
    """Lend some posts without links those of an honest post, take some links away, let those of half the spam
    look like honest ones and make some of the others obvious.

    Whether a link means spam differs from source to source: 16 % of spam against 1 % of other texts in SMS,
    12 % against 7 % in posts on X. A model must not learn from simulated habits that every link is bad, nor
    that a plain one is good. What gives a link away is rare in simulated posts.
    """
    links = one.record.links
    if links and generator.random() < _LINKS_LOST:
        links = ()
    elif not links and honest_links and generator.random() < _LINKS_LENT:
        links = honest_links[int(generator.integers(len(honest_links)))]
    if links and honest_links and one.is_spam:
        chance = generator.random()
        if chance < _LINKS_DRESSED:
            links = _dressed(links, like=honest_links[int(generator.integers(len(honest_links)))])
        elif chance < _LINKS_DRESSED + _LINKS_OBVIOUS:
            links = (_obvious(links[0], generator=generator), *links[1:])
    return dataclasses.replace(one, record=dataclasses.replace(one.record, links=links))


def _dressed(links: tuple[Link, ...], *, like: tuple[Link, ...]) -> tuple[Link, ...]:
    """Give links honest-looking URLs but keep their histories: that costs a spammer nothing."""
    return tuple(
        dataclasses.replace(link, url=model.url, host=model.host, domain=model.domain)
        for link, model in zip(links, itertools.cycle(like), strict=False)
    )


def _obvious(link: Link, *, generator: np.random.Generator) -> Link:
    """Give a link away: it is listed as a threat, or hides behind a number, a popular name or one like it."""
    popular = generator.choice(_popular())
    owner, _, suffix = popular.partition(".")
    forms = (
        f"http://198.51.100.{generator.integers(256)}/",
        f"https://{popular}@{link.host}/",
        f"https://{popular}.{link.host}/",
        f"https://{owner.translate(_PASSES_FOR)}.{suffix}/",
    )
    form = generator.integers(len(forms) + 1)
    # A popular name before a number is no address.
    parts = links_in("", extra=[forms[form]]) if form < len(forms) else ()
    if not parts:
        return dataclasses.replace(link, reputation=LinkReputation(threat_score=1.0))
    return dataclasses.replace(link, url=parts[0].url, host=parts[0].host, domain=parts[0].domain)


@functools.cache
def _popular() -> tuple[str, ...]:
    return tuple(sorted(popular_domains()))
