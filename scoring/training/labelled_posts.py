"""Labelled posts to compare releases on: simulated records, exported decisions, labelled texts.

One part is read, the test part unless told otherwise: no release was trained on what judges it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoring.links import links_in
from scoring.records import AuthorSnapshot, InvalidRecord, Link, PostRecord
from scoring.splits import Split, split_of

_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)


class Malformed(ValueError):
    """A line that is none of the three kinds; the message names file, line and field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPost:
    """A record and the truth about it. `weight` is how many posts it stands for; near-duplicates share a
    `group`, which is the campaign they belong to.
    """

    record: PostRecord
    is_spam: bool
    source: str
    language: str
    group: str
    weight: float = 1.0


def load(paths: Iterable[Path], *, split: Split = Split.TEST) -> list[LabelledPost]:
    """Read the posts of one part of the files, in their order. Raises Malformed for the first wrong line."""
    return [post for path in paths for post in _posts(path) if split_of(post.group) is split]


def describe(path: Path, posts: Iterable[LabelledPost]) -> dict[str, Any]:
    """Describe a file by its bytes and by what was taken from it."""
    taken = [post.is_spam for post in posts]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"file": path.name, "sha256": digest, "rows": len(taken), "spam": sum(taken)}


def with_text(record: PostRecord, text: str) -> PostRecord:
    """Give a record another text; links that can no longer be read in it are gone, others stay."""
    gone = {link.url for link in links_in(record.text)} - {link.url for link in links_in(text)}
    return dataclasses.replace(
        record, text=text, links=tuple(link for link in record.links if link.url not in gone)
    )


def _posts(path: Path) -> Iterator[LabelledPost]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                if line.strip():
                    yield _post(json.loads(line), source=path.stem)
            except (KeyError, TypeError, ValueError, InvalidRecord) as wrong:
                raise Malformed(f"{path.name}, line {number}: {type(wrong).__name__}: {wrong}") from wrong


def _post(stored: Mapping[str, Any], *, source: str) -> LabelledPost:
    if "is_spam" in stored:  # simulate_records
        return _of_record(stored, is_spam=stored["is_spam"] is True, source=source)
    if "record" in stored:  # an export of decisions
        chance = float(stored["provenance"]["audit_probability"]) or 1.0
        post = _of_record(stored, is_spam=stored["label"] == 1, source="decisions")
        return dataclasses.replace(post, weight=1.0 / chance)
    return _of_text(stored)


def _of_record(stored: Mapping[str, Any], *, is_spam: bool, source: str) -> LabelledPost:
    record = PostRecord.from_json(stored["record"])
    return LabelledPost(
        record=record,
        is_spam=is_spam,
        source=source,
        language=record.language or "unknown",
        group=str(stored["group"]),
    )


def _of_text(stored: Mapping[str, Any]) -> LabelledPost:
    """Make a post of a labelled text: nothing but the text and its links is known."""
    text = str(stored["text"])
    links = tuple(Link(url=link.url, host=link.host, domain=link.domain) for link in links_in(text))
    record = PostRecord(
        platform="texts",
        external_id=str(stored["id"]),
        revision=1,
        at=_FIRST_DAY,
        posted_at=_FIRST_DAY,
        text=text,
        author=AuthorSnapshot(external_id=str(stored["id"])),
        links=links,
    )
    return LabelledPost(
        record=record,
        is_spam=stored["label"] == 1,
        source=str(stored["source"]),
        language=str(stored.get("lang", "unknown")),
        group=str(stored["group"]),
    )
