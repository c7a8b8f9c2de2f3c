"""Write labels to a file with a manifest beside it; what a file may be is in export_forms."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from moderation.models.exports import ExportFormat
from moderation.operations.export_files import MANIFEST, PARTIAL
from moderation.operations.export_forms import Digested, form_of
from moderation.queries import label_lines, labels
from moderation.queries.label_lines import LabelLine
from moderation.queries.labels import LabelFilter


def write(
    *,
    out: Path,
    wanted: LabelFilter,
    at: datetime,
    form: str = ExportFormat.JSONL,
    has_weights: bool = True,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Stream labels into `out` and the manifest into `<out>.manifest.json`; return the manifest.

    The file is written beside, synced to the disk and moved into place, so a file that is there is whole. The
    part that was written stays when this fails. Raises OSError, and what `progress` raises.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + PARTIAL)
    tally = _Tally()
    with partial.open("wb") as opened:
        file = Digested(opened)
        labels_in = form_of(form, file=file, has_weights=has_weights)
        for label in label_lines.lines(
            wanted=wanted,
            has_weights=has_weights,
            pause=lambda: progress(tally.labels) if progress else None,
        ):
            labels_in.add(label)
            tally.add(label)
        labels_in.close()
        opened.flush()
        os.fsync(opened.fileno())
    manifest = _manifest(out=out, wanted=wanted, at=at, tally=tally) | {
        "format": form,
        "has_weights": has_weights,
        "sha256": file.sha256.hexdigest(),
    }
    Path(f"{out}{MANIFEST}").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    partial.replace(out)
    return manifest


class _Tally:
    """What the manifest counts, gathered while the rows pass."""

    def __init__(self) -> None:
        self.labels = 0
        self.spam = 0
        self.splits: Counter[str] = Counter()
        self.releases: Counter[str] = Counter()
        self.first: str | None = None
        self.last: str | None = None

    def add(self, label: LabelLine) -> None:
        self.labels += 1
        self.spam += label.is_spam
        self.splits[label.split] += 1
        self.releases[label.release] += 1
        self.first = self.first or label.decided_at
        self.last = label.decided_at


def _manifest(*, out: Path, wanted: LabelFilter, at: datetime, tally: _Tally) -> dict[str, Any]:
    return {
        "schema_version": labels.LABEL_SCHEMA_VERSION,
        "file": out.name,
        "generated_at": at.isoformat(),
        "filter": {
            "since": wanted.since.isoformat() if wanted.since else None,
            "until": wanted.until.isoformat() if wanted.until else None,
            "splits": list(wanted.splits) or "all",
            "retracted": "left out",
        },
        "counts": {"labels": tally.labels, "spam": tally.spam, "not_spam": tally.labels - tally.spam},
        "balance": {"spam_share": round(tally.spam / tally.labels, 4) if tally.labels else None},
        "window": {"first": tally.first, "last": tally.last},
        "splits": dict(sorted(tally.splits.items())),
        "releases": dict(sorted(tally.releases.items())),
    }
