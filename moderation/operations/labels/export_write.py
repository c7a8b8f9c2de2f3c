"""Write labels to a file with a manifest beside it; the formats are in `export_formats`."""

import json
import os
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from moderation.models import Decision, Platform
from moderation.models.exports import ExportFormat
from moderation.models.feed import Stream
from moderation.operations.infrastructure import probe
from moderation.operations.labels.export_files import MANIFEST, PARTIAL
from moderation.operations.labels.export_formats import Digested, copy_without, form_of
from moderation.operations.outbox import feed
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels import label_changes, label_json, label_lines, labels
from moderation.queries.labels.label_lines import LabelLine
from moderation.queries.labels.labels import LabelFilter
from scoring.label_balance import Balance, findings


class _Kind(NamedTuple):
    """What the manifest counts of a label; there are few, however many labels."""

    is_spam: bool
    split: str
    release: str
    language: str
    is_random: bool
    is_by_complaint: bool
    is_presumed: bool


class _Tally:
    """The rows of a file, for its manifest and for taking rows out: 16 bytes each.

    Tombstones have the decision 0 and no kind: they hold ids only, and stay.
    """

    def __init__(self) -> None:
        self.decisions = array("q")
        self.first: str | None = None
        self.last: str | None = None
        self._kinds: list[_Kind | None] = []
        self._known: dict[_Kind, _Kind] = {}

    def add(self, label: LabelLine) -> None:
        if label.is_retraction:
            self.decisions.append(0)
            self._kinds.append(None)
            return
        kind = _Kind(
            label.is_spam,
            label.split,
            label.release,
            label.language.partition("-")[0].casefold(),
            label.is_random,
            label.is_by_complaint,
            label.is_presumed,
        )
        self.decisions.append(label.decision_id)
        self._kinds.append(self._known.setdefault(kind, kind))
        self.first = self.first or label.decided_at
        self.last = label.decided_at

    def take(self, decisions: Collection[int]) -> set[int]:
        """Drop the rows of some decisions; return their numbers in the file as it was."""
        rows = {row for row, decision in enumerate(self.decisions) if decision in decisions}
        self.decisions = array(
            "q", (decision for row, decision in enumerate(self.decisions) if row not in rows)
        )
        self._kinds = [kind for row, kind in enumerate(self._kinds) if row not in rows]
        return rows

    def counts(self) -> tuple[Counter[_Kind], int]:
        """Return how many labels there are of each kind, and how many tombstones."""
        return Counter(kind for kind in self._kinds if kind), self._kinds.count(None)


def write(**asked: Any) -> dict[str, Any]:
    """Write labels to a file and a manifest beside it, which is returned. Takes what Draft takes."""
    draft = Draft(**asked)
    draft.write()
    return draft.manifest


@dataclass(slots=True, kw_only=True)
class Draft:
    """An export at `out`, with the manifest `<out>.manifest.json`, from which rows can still be taken.

    Without addresses, placeholders stand for IP addresses and e-mail domains. `progress` gets the number of
    written labels every few thousand; it may raise.

    The manifest's `positions` are the feed positions up to which the file goes. With these as `wanted.after`
    a later file holds the changes since: applying its lines to this file, in order, gives what a whole export
    would hold.
    """

    out: Path
    wanted: LabelFilter
    at: datetime
    form: str = ExportFormat.JSONL
    has_weights: bool = True
    has_addresses: bool = True
    progress: Callable[[int], None] | None = None
    manifest: dict[str, Any] = field(init=False)
    _until: Mapping[str, Position] = field(init=False)
    _tally: _Tally = field(init=False, default_factory=_Tally)

    def write(self) -> None:
        """Stream the labels into the file. Raises OSError, and what `progress` raises."""
        self.out.parent.mkdir(parents=True, exist_ok=True)
        # Before any label is read: one that is committed meanwhile is numbered later, so that it is in the
        # next increment, whether or not this file has it, too.
        self._until = _numbered(self.wanted, at=self.at)
        with self._written() as file:
            labels_in = form_of(self.form, file=file, has_weights=self.has_weights)
            for label in self._lines():
                labels_in.add(label)
                self._tally.add(label)
            labels_in.close()

    def leave_out_erased(self) -> None:
        """Write the file anew without labels of posts that were erased since, if there are any."""
        if erased := self._erased():
            rows = self._tally.take(erased)
            with self._written() as file:
                copy_without(rows, path=self.out, file=file, form=self.form, pause=self._pause)

    def _erased(self) -> set[int]:
        ids: set[int] = set()
        decisions = self._tally.decisions
        for start in range(0, len(decisions), label_lines.CHUNK):
            chunk = Decision.objects.filter(pk__in=decisions[start : start + label_lines.CHUNK].tolist())
            ids.update(chunk.filter(post__erased_at__isnull=False).values_list("pk", flat=True))
        return ids

    @contextmanager
    def _written(self) -> Iterator[Digested]:
        """Yield a file, then put it in the place of the export, with its manifest.

        It is written under a temporary name, synced and renamed, so an existing file is complete. The partial
        file stays when this fails.
        """
        partial = self.out.with_name(self.out.name + PARTIAL)
        with partial.open("wb") as raw:
            file = Digested(raw)
            yield file
            raw.flush()
            os.fsync(raw.fileno())
        self.manifest = _manifest(out=self.out, wanted=self.wanted, at=self.at, tally=self._tally) | {
            "positions": as_json(self._until),
            "format": self.form,
            "has_weights": self.has_weights,
            "has_addresses": self.has_addresses,
            "sha256": file.sha256.hexdigest(),
        }
        # The manifest first: whoever sees the file sees its manifest.
        text = json.dumps(self.manifest, indent=2, ensure_ascii=False)
        Path(f"{self.out}{MANIFEST}").write_text(f"{text}\n")
        partial.replace(self.out)

    def _lines(self) -> Iterator[LabelLine]:
        options: Any = {
            "wanted": self.wanted,
            "has_weights": self.has_weights,
            "has_addresses": self.has_addresses,
            "pause": self._pause,
        }
        if self.wanted.after is None:
            return label_lines.lines(**options)
        return label_changes.lines(until=self._until, **options)

    def _pause(self) -> None:
        if self.progress:
            self.progress(len(self._tally.decisions))


def as_json(positions: Mapping[str, Position]) -> dict[str, Any]:
    """Return positions of feeds by platform as JSON."""
    return {
        slug: {"entered_at": position.entered_at.isoformat(), "number": position.number}
        for slug, position in positions.items()
    }


def from_json(positions: Mapping[str, Any]) -> dict[str, Position]:
    """Parse positions. Raises KeyError, TypeError or ValueError if they are malformed."""
    return {
        slug: Position(datetime.fromisoformat(position["entered_at"]), int(position["number"]))
        for slug, position in positions.items()
    }


def _numbered(wanted: LabelFilter, *, at: datetime) -> dict[str, Position]:
    """Number due entries in the feeds of labels, and return the last positions.

    A standby numbers nothing: what the primary has not numbered yet is in the next increment.
    """
    platforms = Platform.objects.order_by("id")
    if wanted.platform_id is not None:
        platforms = platforms.filter(pk=wanted.platform_id)
    for platform_id in () if probe.is_standby() else platforms.values_list("pk", flat=True):
        while feed.number(platform_id=platform_id, stream=Stream.LABELS, at=at) >= feed.BATCH:
            pass
    return label_changes.positions(platform_id=wanted.platform_id)


def _manifest(*, out: Path, wanted: LabelFilter, at: datetime, tally: _Tally) -> dict[str, Any]:
    kinds, retracted = tally.counts()
    total = kinds.total()
    of: dict[str, Counter[Any]] = {name: Counter() for name in _Kind._fields}
    for kind, rows in kinds.items():
        for name, value in kind._asdict().items():
            of[name][value] += rows
    balance = Balance(
        labels=total,
        spam=of["is_spam"][True],
        random=of["is_random"][True],
        by_complaint=of["is_by_complaint"][True],
        languages=of["language"],
    )
    return {
        "schema_version": label_json.LABEL_SCHEMA_VERSION,
        "file": out.name,
        "generated_at": at.isoformat(),
        "filter": {
            "since": wanted.since.isoformat() if wanted.since else None,
            "until": wanted.until.isoformat() if wanted.until else None,
            "splits": list(wanted.splits) or "all",
            "after": None if wanted.after is None else as_json(wanted.after),
            "retracted": "left out" if wanted.after is None else "lines without label",
        },
        "counts": {
            "labels": total,
            "spam": balance.spam,
            "not_spam": total - balance.spam,
            "retracted": retracted,
        },
        "weaknesses": [finding.message for finding in findings(balance)] if total else [],
        # Labels of the review route count once, as if it were decided whole: so many posts of it still wait.
        "weights": {"presumed": of["is_presumed"][True], "waiting": labels.undecided(wanted=wanted, at=at)},
        "balance": {"spam_share": round(balance.spam / total, 4) if total else None},
        "window": {"first": tally.first, "last": tally.last},
        "splits": dict(sorted(of["split"].items())),
        "releases": dict(sorted(of["release"].items())),
    }
