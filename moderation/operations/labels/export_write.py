"""Write labels to a file with a manifest beside it; the formats are in `export_formats`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from moderation import standby
from moderation.models import Platform
from moderation.models.exports import ExportFormat
from moderation.models.feed import Stream
from moderation.operations.infrastructure import probe
from moderation.operations.labels.export_files import MANIFEST, PARTIAL
from moderation.operations.labels.export_formats import Digested, form_of
from moderation.operations.outbox import feed
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels import label_changes, label_json, label_lines, labels
from moderation.queries.labels.label_lines import LabelLine
from moderation.queries.labels.labels import LabelFilter
from scoring.label_balance import Balance, findings


def write(
    *,
    out: Path,
    wanted: LabelFilter,
    at: datetime,
    form: str = ExportFormat.JSONL,
    has_weights: bool = True,
    has_addresses: bool = True,
    progress: Callable[[int], None] | None = None,
    may_read_standby: bool = True,
) -> dict[str, Any]:
    """Stream labels into `out` and the manifest into `<out>.manifest.json`; return the manifest.

    Without addresses, placeholders stand for IP addresses and e-mail domains.

    Its `positions` are the feed positions up to which the file goes. With these as `wanted.after` a later
    file holds the changes since: applying its lines to this file, in order, gives what a whole export would
    hold.

    Labels are read from the standby once it holds all that is committed and numbered by now: decisions of a
    moment ago, and the erasures that were waited for.

    The file is written under a temporary name, synced and renamed, so an existing file is complete. The
    partial file stays when this fails. Raises OSError, and what `progress` raises.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + PARTIAL)
    tally = _Tally()
    # Before any label is read: one that is committed meanwhile is numbered later, so that it is in the next
    # increment, whether or not this file has it, too.
    until = _numbered(wanted, at=at)
    read_from = standby.reading_all_until_now() if may_read_standby else nullcontext()
    with partial.open("wb") as opened, read_from:
        file = Digested(opened)
        labels_in = form_of(form, file=file, has_weights=has_weights)
        pause = (lambda: progress(tally.rows)) if progress else None
        for label in _lines(
            wanted, until=until, has_weights=has_weights, has_addresses=has_addresses, pause=pause
        ):
            labels_in.add(label)
            tally.add(label)
        labels_in.close()
        opened.flush()
        os.fsync(opened.fileno())
    manifest = _manifest(out=out, wanted=wanted, at=at, tally=tally) | {
        "positions": as_json(until),
        "format": form,
        "has_weights": has_weights,
        "has_addresses": has_addresses,
        "sha256": file.sha256.hexdigest(),
    }
    # The manifest first: whoever sees the file sees its manifest.
    Path(f"{out}{MANIFEST}").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    partial.replace(out)
    return manifest


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


def _lines(
    wanted: LabelFilter,
    *,
    until: Mapping[str, Position],
    has_weights: bool,
    has_addresses: bool,
    pause: Callable[[], None] | None,
) -> Iterator[LabelLine]:
    if wanted.after is None:
        return label_lines.lines(
            wanted=wanted, has_weights=has_weights, has_addresses=has_addresses, pause=pause
        )
    return label_changes.lines(
        wanted=wanted, until=until, has_weights=has_weights, has_addresses=has_addresses, pause=pause
    )


class _Tally:
    """Counts for the manifest, gathered while rows are written."""

    def __init__(self) -> None:
        self.labels = 0
        self.retracted = 0
        self.spam = 0
        self.splits: Counter[str] = Counter()
        self.releases: Counter[str] = Counter()
        self.random = self.by_complaint = self.presumed = 0
        self.languages: Counter[str] = Counter()
        self.first: str | None = None
        self.last: str | None = None

    @property
    def rows(self) -> int:
        """The lines so far, labels and tombstones."""
        return self.labels + self.retracted

    @property
    def balance(self) -> Balance:
        """What the labels are like."""
        return Balance(
            labels=self.labels,
            spam=self.spam,
            random=self.random,
            by_complaint=self.by_complaint,
            languages=self.languages,
        )

    def add(self, label: LabelLine) -> None:
        if label.is_retraction:
            self.retracted += 1
            return
        self.labels += 1
        self.spam += label.is_spam
        self.random += label.is_random
        self.by_complaint += label.is_by_complaint
        self.presumed += label.is_presumed
        self.languages[label.language.partition("-")[0].casefold()] += 1
        self.splits[label.split] += 1
        self.releases[label.release] += 1
        self.first = self.first or label.decided_at
        self.last = label.decided_at


def _manifest(*, out: Path, wanted: LabelFilter, at: datetime, tally: _Tally) -> dict[str, Any]:
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
            "labels": tally.labels,
            "spam": tally.spam,
            "not_spam": tally.labels - tally.spam,
            "retracted": tally.retracted,
        },
        "weaknesses": [finding.message for finding in findings(tally.balance)] if tally.labels else [],
        # Labels of the review route count once, as if it were decided whole: so many posts of it still wait.
        "weights": {"presumed": tally.presumed, "waiting": labels.undecided(wanted=wanted, at=at)},
        "balance": {"spam_share": round(tally.spam / tally.labels, 4) if tally.labels else None},
        "window": {"first": tally.first, "last": tally.last},
        "splits": dict(sorted(tally.splits.items())),
        "releases": dict(sorted(tally.releases.items())),
    }
