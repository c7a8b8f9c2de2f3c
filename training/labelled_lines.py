"""The single reader of labelled lines: simulated records, exports of the desk's decisions, texts, pictures.

Retracted lines are skipped: a tombstone (label null) retracted the label, or a later line decides the same
revision again. labelled_records, labelled_posts and dataset convert lines for training.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

MOST_TRAINING_WEIGHT = 10.0
"""A random post may represent fifty: right for measuring, but a single label must not dominate a fit."""


class Malformed(ValueError):
    """A line that cannot be used; the message names file, line and field."""


class Origin(StrEnum):
    """The origin of a line's label."""

    SIMULATED = "simulated"
    DECIDED = "decided"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A line as it was stored, and where it stood."""

    stored: Mapping[str, Any]
    path: Path
    number: int

    @property
    def where(self) -> str:
        """Return file and line for messages."""
        return f"{self.path.name}, line {self.number}"

    @property
    def origin(self) -> Origin:
        """Return the kind of line. Raises Malformed if it is none of the three."""
        if "is_spam" in self.stored:
            return Origin.SIMULATED
        if "label" not in self.stored:
            # Reported as for a simulated record, the nearest kind.
            raise Malformed(f"{self.where}: KeyError: 'is_spam' (or 'label', of a decision or a text)")
        return Origin.DECIDED if self.is_decision else Origin.TEXT

    @property
    def is_decision(self) -> bool:
        """Return whether the line is from the desk's own export, which holds the stored record."""
        return "record" in self.stored and not {"source", "is_spam"} & self.stored.keys()

    @property
    def weight(self) -> float:
        """Return the number of posts that a decision represents, 0 for none.

        1 for lines that are no decisions.
        """
        return float(self.stored.get("weight", 1.0)) if self.origin is Origin.DECIDED else 1.0

    @property
    def training_weight(self) -> float:
        """Return how much the label counts in a fit: its weight, up to MOST_TRAINING_WEIGHT."""
        return min(self.weight, MOST_TRAINING_WEIGHT)

    @property
    def scored_by(self) -> str:
        """Return the id of the release that had scored the post when it was decided, empty if not known."""
        return str(self.stored.get("provenance", {}).get("release", ""))

    @property
    def is_random(self) -> bool:
        """Return whether chance alone brought the post to a human: only such labels measure quality."""
        return bool(self.stored.get("provenance", {}).get("is_audit_sample", False))


def read_all(paths: Iterable[Path]) -> list[LabelledLine]:
    """Read the valid lines of files: an export and its increments are given together, oldest first."""
    return _standing([line for path in paths for line in lines(path)])


def lines(path: Path) -> Iterable[LabelledLine]:
    """Read every line of a file, tombstones and retracted ones too. Raises Malformed."""
    if path.suffix in {".csv", ".parquet"}:
        raise Malformed(f"{path}: training reads JSON lines; ask for the export as jsonl")
    # Split at line feeds only: str.splitlines also breaks at U+2028 and U+0085, which are legal inside a JSON
    # string.
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield LabelledLine(_object(line, where=f"{path.name}, line {number}"), path, number)
        except UnicodeDecodeError as wrong:
            raise Malformed(f"{path.name}: byte {wrong.start}: not UTF-8") from wrong


def _object(line: str, *, where: str) -> Mapping[str, Any]:
    try:
        stored = json.loads(line)
    except json.JSONDecodeError as wrong:
        raise Malformed(f"{where}: not JSON: {wrong.msg} at column {wrong.colno}") from wrong
    except RecursionError as wrong:
        raise Malformed(f"{where}: nested too deeply") from wrong
    if not isinstance(stored, dict):
        raise Malformed(f"{where}: expected an object, got {type(stored).__name__}")
    return stored


def _standing(lines: Sequence[LabelledLine]) -> list[LabelledLine]:
    """Leave out tombstones, decisions that they retracted or a later line replaced, and accounts."""
    retracted: set[str] = set()
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        name = str(line.stored.get("id", ""))
        if _is_tombstone(line):
            decision = _decision_id(line)
            if decision:
                retracted.add(decision)
            else:
                last.pop(name, None)
        elif line.is_decision:
            last[name] = place
    return [
        line
        for place, line in enumerate(lines)
        if not _is_tombstone(line)
        and line.stored.get("subject") != "account"  # a profile reads otherwise than a post
        and not (line.is_decision and _is_over(line, place, retracted=retracted, last=last))
    ]


def _is_over(line: LabelledLine, place: int, *, retracted: Collection[str], last: Mapping[str, int]) -> bool:
    """Tell whether a decision was retracted or replaced by a later one about the same revision."""
    replaced = "id" in line.stored and last.get(str(line.stored["id"])) != place
    return replaced or _decision_id(line) in retracted


def _decision_id(line: LabelledLine) -> str:
    provenance = line.stored.get("provenance")
    return str(provenance.get("decision_id", "")) if isinstance(provenance, dict) else ""


def _is_tombstone(line: LabelledLine) -> bool:
    return "id" in line.stored and line.stored.get("label", 0) is None
