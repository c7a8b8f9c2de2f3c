"""Labelled texts in JSON lines: load, validate, split by near-duplicate group, record their provenance.

Two kinds of labels: published corpora (the lines name their source) and the desk's own exports of decisions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from scoring.normalise import as_read
from scoring.release import file_sha256
from scoring.splits import Split, split_of
from training import labelled_lines
from training.labelled_lines import LabelledLine, Malformed

__all__ = [
    "Example",
    "FileManifest",
    "Malformed",
    "Provenance",
    "Split",
    "load",
    "part",
    "read_as_served",
    "split_of",
]


class Provenance(StrEnum):
    """Who gave the labels: `meta.provenance` of a row, CURATED for a row of the desk's own export, else
    PROFESSIONAL (published, annotated corpora).
    """

    PROFESSIONAL = "professional"
    CURATED = "curated"


@dataclass(frozen=True)
class Example:
    """One labelled text: `label` 1 is spam, near-duplicates share a `group`, `weight` counts in training."""

    id: str
    source: str
    text: str
    label: int
    group: str
    lang: str = "xx"
    provenance: Provenance = Provenance.PROFESSIONAL
    meta: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0


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

    Decided posts without text are left out (their links were judged), and so are those from complaints,
    appeals or second looks, which represent no others. Raises Malformed for the first row that cannot be
    used.
    """
    return [_parse(line) for line in labelled_lines.read_all(paths) if not _is_decided_in_vain(line)]


def part(examples: Sequence[Example], *, split: Split) -> list[Example]:
    """Keep the examples whose group falls into the split, in their order."""
    return [example for example in examples if split_of(example.group) is split]


def read_as_served(examples: Iterable[Example]) -> list[Example]:
    """Normalise the texts as the content model's caller does."""
    return [replace(example, text=as_read(example.text).text) for example in examples]


def manifest(paths: Iterable[Path]) -> list[FileManifest]:
    """Describe each file for the model card and for the release that is trained from it."""
    return [_describe(path, examples=load([path])) for path in paths]


def _describe(path: Path, *, examples: Sequence[Example]) -> FileManifest:
    return FileManifest(
        file=path.name,
        sha256=file_sha256(path),
        rows=len(examples),
        spam=sum(example.label for example in examples),
        sources=tuple(sorted({example.source for example in examples})),
        provenance=tuple(sorted({example.provenance.value for example in examples})),
    )


def _is_decided_in_vain(line: LabelledLine) -> bool:
    return line.is_decision and (not line.stored.get("text") or line.weight == 0.0)


def _parse(line: LabelledLine) -> Example:
    row, where = line.stored, line.where
    meta = row.get("meta", {})
    if not isinstance(meta, dict):
        raise Malformed(f"{where}: meta: expected an object, got {type(meta).__name__}")
    identity = _text(row, name="id", where=where)
    # An export's id is platform/external id/revision.
    source = f"desk {identity.partition('/')[0]}" if line.is_decision else ""
    return Example(
        id=identity,
        source=source or _text(row, name="source", where=where),
        text=_text(row, name="text", where=where),
        label=_label(row, where=where),
        group=_text(row, name="group", where=where),
        lang=str(row.get("lang") or "xx"),
        provenance=Provenance.CURATED if source else _provenance(meta, where=where),
        meta=meta,
        weight=line.training_weight if source else 1.0,
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
