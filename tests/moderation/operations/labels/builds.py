"""Builders that are stopped or killed at a step, and what they leave; files read back."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from pyarrow import parquet

from moderation.models import Export
from moderation.models.exports import ExportState
from moderation.operations.labels import export_build, export_files, export_write
from moderation.operations.outbox import announce
from moderation.queries.labels import label_lines, labels

WORD = "1-800-555-0101"
LEASE = export_build.LEASE.total_seconds()
STEPS = ("claimed", "reading", "written", "moved", "publishing")
WAIT_SECONDS = 60


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours may catch it, and the transaction is lost."""


@contextmanager
def at_step(step: str, happens: Callable[[], None]) -> Iterator[None]:
    """Let something happen the first time that a builder reaches a step."""
    once = [happens]

    def reached() -> None:
        if once:
            once.pop()()

    def before(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            reached()
            return function(*given, **named)

        return wrapped

    def lines(**named: Any) -> Iterator[Any]:
        for line in found(**named):
            yield line
            reached()

    found = label_lines.lines
    with ExitStack() as patches:
        patch = {
            "claimed": mock.patch.object(labels, "count", before(labels.count)),
            "reading": mock.patch.object(label_lines, "lines", lines),
            "written": mock.patch.object(export_write, "_manifest", before(export_write._manifest)),
            "moved": mock.patch.object(
                export_build._Attempt, "publish", before(export_build._Attempt.publish)
            ),
            "publishing": mock.patch.object(announce, "export_ready", before(announce.export_ready)),
        }[step]
        patches.enter_context(patch)
        yield


def kill() -> None:
    raise Killed


def finish(row: Export, *, at: datetime) -> Export:
    """Do what the sweep and a worker do, again and again."""
    for number in range(1, 4):
        moment = at + number * (export_build.LEASE + timedelta(seconds=1))
        export_build.sweep(at=moment)
        export_build.build(export_id=row.pk, at=moment)
    row.refresh_from_db()
    return row


def is_whole(row: Export, folder: Path) -> bool:
    """Tell whether the folder holds what the rows name, and that is what the manifest says."""
    if row.state == ExportState.FAILED:
        return bool(row.error) and not row.file_name and not list(folder.glob("*"))
    file = export_files.path_of(row)
    assert row.manifest is not None
    return (
        row.state == ExportState.READY
        and {path.name for path in folder.iterdir()} == {file.name, f"{file.name}.manifest.json"}
        and row.manifest["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        and row.manifest["counts"]["labels"] == row.rows_written == len(file.read_bytes().splitlines())
    )


def rows_of(out: Path) -> list[dict[str, Any]]:
    """Read the rows of an export as its form says, numbers as numbers."""
    if out.suffix == ".parquet":
        rows: list[dict[str, Any]] = parquet.read_table(out).to_pylist()
        return rows
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if out.suffix == ".csv" else [json.loads(line) for line in file]


def words_left(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*") if WORD.encode() in path.read_bytes()]
