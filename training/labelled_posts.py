"""Labelled posts to compare releases on: simulated records, exported decisions, labelled texts.

One part is read, by default the test part, on which no release was trained.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoring.links import links_in
from scoring.records import AuthorSnapshot, InvalidRecord, Link, PostRecord
from scoring.release import file_sha256
from scoring.splits import Split, split_of
from training import labelled_lines, labelled_records
from training.labelled_lines import LabelledLine, Malformed, Origin
from training.labelled_records import LabelledRecord

DECIDED_ON = "decided on"
"""How the source of an exported decision begins; its platform's slug follows."""

CURATED = Path(__file__).with_name("curated_posts.jsonl")
_TEXTS = "texts"
_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPost(LabelledRecord):
    """A labelled record and what comparisons tell apart. `scored_by` is the release that had scored a post
    when it was decided, empty if not known.
    """

    source: str
    language: str
    scored_by: str = ""

    @property
    def is_text(self) -> bool:
        """Return whether this is a labelled text, without anything else known."""
        return self.record.platform == _TEXTS


def load(paths: Iterable[Path], *, split: Split = Split.TEST) -> list[LabelledPost]:
    """Read the posts of one part of the files, in their order. Raises Malformed for the first wrong line."""
    return [post for posts in load_by_file(paths, split=split).values() for post in posts]


def load_by_file(paths: Iterable[Path], *, split: Split = Split.TEST) -> dict[Path, list[LabelledPost]]:
    """Read as `load`, and say which posts came from which file."""
    files = list(paths)
    by_file: dict[Path, list[LabelledPost]] = {path: [] for path in files}
    for line in labelled_lines.read_all(files):
        # A decision of weight 0 represents no other post.
        if line.weight > 0.0 and split_of((post := of_line(line)).group) is split:
            by_file[line.path].append(post)
    return by_file


def describe(path: Path, posts: Iterable[LabelledPost]) -> dict[str, Any]:
    """Describe a file by its bytes and its posts."""
    labels = [post.is_spam for post in posts]
    return {"file": path.name, "sha256": file_sha256(path), "rows": len(labels), "spam": sum(labels)}


def with_text(record: PostRecord, text: str) -> PostRecord:
    """Replace a record's text; links no longer found in it are removed, new ones added, others stay."""
    before, after = ({link.url: link for link in _links(version)} for version in (record.text, text))
    old_links = tuple(link for link in record.links if link.url in after or link.url not in before)
    old_urls = {link.url for link in old_links}
    new_links = tuple(link for url, link in after.items() if url not in old_urls)
    return dataclasses.replace(record, text=text, links=(*old_links, *new_links))


def kept_out() -> list[LabelledPost]:
    """Return the curated posts of families that nothing is trained on."""
    return [post for split in (Split.VALIDATION, Split.TEST) for post in load([CURATED], split=split)]


def of_line(line: LabelledLine) -> LabelledPost:
    """Make a post of a standing line. Raises Malformed."""
    try:
        if line.origin is Origin.TEXT:
            return _of_text(line.stored)
        record = labelled_records.labelled(line)
        return of_record(record, simulated_in=line.path.stem, scored_by=line.scored_by)
    except (KeyError, TypeError, ValueError, InvalidRecord) as wrong:
        if isinstance(wrong, Malformed):
            raise
        raise Malformed(f"{line.where}: {type(wrong).__name__}: {wrong}") from wrong


def of_record(one: LabelledRecord, *, simulated_in: str = "", scored_by: str = "") -> LabelledPost:
    """Make a post of a record: its source is the platform of a decision, else the file."""
    return LabelledPost(
        **{field.name: getattr(one, field.name) for field in dataclasses.fields(LabelledRecord)},
        source=f"{DECIDED_ON} {one.platform}" if one.origin is Origin.DECIDED else simulated_in,
        language=one.record.language or "unknown",
        scored_by=scored_by,
    )


def _of_text(stored: Mapping[str, Any]) -> LabelledPost:
    """Make a post of a labelled text: nothing but the text and its links is known."""
    text = str(stored["text"])
    record = PostRecord(
        platform=_TEXTS,
        external_id=str(stored["id"]),
        revision=1,
        at=_FIRST_DAY,
        posted_at=_FIRST_DAY,
        text=text,
        author=AuthorSnapshot(external_id=str(stored["id"])),
        links=_links(text),
    )
    return LabelledPost(
        record=record,
        is_spam=stored["label"] == 1,
        source=str(stored["source"]),
        language=str(stored.get("lang", "unknown")),
        group=str(stored["group"]),
    )


def _links(text: str) -> tuple[Link, ...]:
    return tuple(Link(url=link.url, host=link.host, domain=link.domain) for link in links_in(text))
