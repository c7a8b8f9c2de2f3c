"""Write labels to a file with a manifest beside it; what a file may be is in export_forms."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Min

from moderation import enqueue
from moderation.models import Export, Label, Platform, User
from moderation.models.exports import ExportFormat, ExportState
from moderation.operations import announce, verdict
from moderation.operations.export_forms import MEDIA_TYPES, Digested, form_of
from moderation.queries import label_lines, labels
from moderation.queries.label_lines import LabelLine
from moderation.queries.labels import LabelFilter


def request(
    *,
    requested_by: User,
    wanted: LabelFilter,
    at: datetime,
    platform: Platform | None = None,
    form: str = ExportFormat.JSONL,
    has_weights: bool = True,
) -> Export:
    """Ask for an export; a task builds it."""
    with transaction.atomic():
        row = Export.objects.create(
            requested_by=requested_by,
            platform=platform,
            requested_at=at,
            since=wanted.since,
            until=wanted.until or at,
            format=form,
            splits=list(wanted.splits),
            has_weights=has_weights,
        )
        verdict.audit(
            action="export.requested", subject_kind="export", subject_id=row.pk, actor=requested_by, at=at
        )
        enqueue.export(export_id=row.pk)
    return row


def build(*, export_id: int, at: datetime) -> None:
    """Build a requested export, with its progress in the row. Only a waiting one is built."""
    row = Export.objects.get(pk=export_id)
    if not Export.objects.filter(pk=export_id, state=ExportState.WAITING).update(state=ExportState.BUILDING):
        return
    wanted = LabelFilter(
        since=row.since, until=row.until, platform_id=row.platform_id, splits=tuple(row.splits)
    )
    row.rows_expected = labels.count(wanted=wanted)
    row.file_name = f"labels-{row.pk}.{row.format}"
    row.save(update_fields=("rows_expected", "file_name"))
    try:
        row.manifest = write(
            out=path_of(row),
            wanted=wanted,
            at=at,
            form=row.format,
            has_weights=row.has_weights,
            progress=lambda written: _note_progress(export_id, written),
        )
    except OSError as failure:
        Export.objects.filter(pk=export_id).update(state=ExportState.FAILED, error=str(failure)[:500])
        return
    row.rows_written = row.manifest["counts"]["labels"]
    row.state = ExportState.READY
    with transaction.atomic():
        row.save(update_fields=("manifest", "rows_written", "state"))
        announce.export_ready(row, at=at)


def path_of(export: Export) -> Path:
    """Return where the file of an export lies."""
    return Path(settings.EXPORT_DIR) / export.file_name


def media_type_of(export: Export) -> str:
    """Return what the file of an export is, as HTTP names it."""
    return MEDIA_TYPES[ExportFormat(export.format)]


def withdraw(*, post_ids: Sequence[int]) -> None:
    """Take back the exports that may hold these posts. Call inside the transaction that erases them."""
    labels_of = Label.objects.filter(post__in=post_ids)
    first = labels_of.aggregate(first=Min("labelled_at"))["first"]
    if first is None:
        return
    rows = list(
        Export.objects.filter(requested_at__gte=first).exclude(state=ExportState.FAILED).exclude(file_name="")
    )
    Export.objects.filter(pk__in=[row.pk for row in rows]).update(
        state=ExportState.FAILED, error="A post in it was erased; ask for a new export.", file_name=""
    )
    files = [path_of(row) for row in rows]
    transaction.on_commit(lambda: _delete(files))


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

    Both are written beside and moved into place, so a file that is there is whole. Raises OSError.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + ".partial")
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
    manifest = _manifest(out=out, wanted=wanted, at=at, tally=tally) | {
        "format": form,
        "has_weights": has_weights,
        "sha256": file.sha256.hexdigest(),
    }
    Path(f"{out}.manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
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


def _delete(files: Sequence[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
        Path(f"{file}.manifest.json").unlink(missing_ok=True)


def _note_progress(export_id: int, written: int) -> None:
    Export.objects.filter(pk=export_id).update(rows_written=written)
