"""Labelled texts in JSON lines: load, check, split by near-duplicate group, account for their origin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from scoring.splits import Split, split_of

__all__ = ["Example", "FileManifest", "Malformed", "Provenance", "Split", "load", "part", "split_of"]


class Provenance(StrEnum):
    """Who gave the labels; `meta.provenance` of a row, else PROFESSIONAL (published, annotated corpora)."""

    PROFESSIONAL = "professional"
    CURATED = "curated"
    RULE = "rule"


class Malformed(ValueError):
    """A row that cannot be used; the message names file, line and field."""


@dataclass(frozen=True)
class Example:
    """One labelled text. `label` is 1 for spam; near-duplicates share a `group`."""

    id: str
    source: str
    text: str
    label: int
    group: str
    lang: str = "xx"
    provenance: Provenance = Provenance.PROFESSIONAL
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FileManifest:
    """What one input file held: counts per source and label, and the digest of its bytes."""

    file: str
    sha256: str
    rows: int
    spam: int
    sources: tuple[str, ...]
    provenance: tuple[str, ...]


def load(paths: Iterable[Path]) -> list[Example]:
    """Read every row of the files, repeats included: a corpus holds one message several times, in one group.

    Raises Malformed for the first row that cannot be used.
    """
    return [
        _parse(line, where=f"{path}:{number}")
        for path in paths
        for number, line in enumerate(_lines(path), start=1)
        if line.strip()
    ]


def part(examples: Sequence[Example], *, split: Split) -> list[Example]:
    """Keep the examples whose group falls into the split, in their order."""
    return [example for example in examples if split_of(example.group) is split]


def manifest(paths: Iterable[Path]) -> list[FileManifest]:
    """Describe each file for the model card and for the release that is trained from it."""
    return [_manifest_of(path) for path in paths]


def _manifest_of(path: Path) -> FileManifest:
    examples = load([path])
    return FileManifest(
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        rows=len(examples),
        spam=sum(example.label for example in examples),
        sources=tuple(sorted({example.source for example in examples})),
        provenance=tuple(sorted({example.provenance.value for example in examples})),
    )


def _lines(path: Path) -> list[str]:
    try:
        # Not str.splitlines: it also breaks at U+2028 and U+0085, which are legal inside a JSON string.
        return path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: byte {error.start}: not UTF-8") from error


def _parse(line: str, *, where: str) -> Example:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise Malformed(f"{where}: not JSON: {error.msg} at column {error.colno}") from error
    if not isinstance(row, dict):
        raise Malformed(f"{where}: expected an object, got {type(row).__name__}")
    meta = row.get("meta", {})
    if not isinstance(meta, dict):
        raise Malformed(f"{where}: meta: expected an object, got {type(meta).__name__}")
    return Example(
        id=_text(row, name="id", where=where),
        source=_text(row, name="source", where=where),
        text=_text(row, name="text", where=where),
        label=_label(row, where=where),
        group=_text(row, name="group", where=where),
        lang=_text(row, name="lang", where=where) if "lang" in row else "xx",
        provenance=_provenance(meta, where=where),
        meta=meta,
    )


def _text(row: Mapping[str, Any], *, name: str, where: str) -> str:
    if name not in row:
        raise Malformed(f"{where}: {name}: missing")
    value = row[name]
    if not isinstance(value, str):
        raise Malformed(f"{where}: {name}: expected a string, got {type(value).__name__}")
    if not value.strip():
        raise Malformed(f"{where}: {name}: empty")
    return value


def _label(row: Mapping[str, Any], *, where: str) -> int:
    if "label" not in row:
        raise Malformed(f"{where}: label: missing")
    value = row["label"]
    if isinstance(value, bool) or value not in (0, 1):
        raise Malformed(f"{where}: label: expected 0 or 1, got {value!r}")
    return int(value)


def _provenance(meta: Mapping[str, Any], *, where: str) -> Provenance:
    value = meta.get("provenance", Provenance.PROFESSIONAL)
    if value not in list(Provenance):
        raise Malformed(f"{where}: meta.provenance: expected one of {', '.join(Provenance)}, got {value!r}")
    return Provenance(value)
