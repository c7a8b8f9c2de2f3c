"""File formats of exports: JSON lines, CSV, Parquet; each written as a stream in constant memory."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from moderation.models.exports import ExportFormat
from moderation.queries.labels.label_lines import LabelLine

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 5_000
GROUP_BYTES = 16 * 1024 * 1024
"""A Parquet row group is kept in memory until it is written: limits in labels and in bytes."""

MEDIA_TYPES = {
    ExportFormat.JSONL: "application/x-ndjson",
    ExportFormat.CSV: "text/csv",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}

_PROVENANCE = (
    "decided_by",
    "decided_at",
    "reason",
    "release",
    "spam_probability",
    "is_degraded",
    "is_audit_sample",
    "audit_probability",
    "decision_id",
    "sample",
    "lane",
)
_BEFORE = ("schema_version", "id", "text", "lang", "label", "group", "split")
# A spreadsheet runs a cell that begins with one of these as a formula; East Asian versions read full-width
# forms alike.
_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MARK = "'"


class Digested(io.RawIOBase):
    """A file that keeps the digest of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()

    def writable(self) -> bool:
        """Return True: the interface of a binary file asks."""
        return True

    def write(self, data: Any, /) -> int:
        """Write bytes and add them to the digest."""
        self.sha256.update(data)
        return self._file.write(data)


def form_of(name: str, *, file: Digested, has_weights: bool) -> _JsonLines | _Csv | _Parquet:
    """Return the writer of a format."""
    if name == ExportFormat.JSONL:
        return _JsonLines(file)
    columns = (*_BEFORE, *(("weight",) if has_weights else ()), "schema_hash", *_PROVENANCE)
    return _Csv(file, columns) if name == ExportFormat.CSV else _Parquet(file, columns)


def copy_without(
    rows: Collection[int], *, path: Path, file: Digested, form: str, pause: Callable[[], None]
) -> None:
    """Copy a written file but for some rows, counted from 0; `pause` is called every few thousand rows."""
    if form == ExportFormat.PARQUET:
        _copy_groups(rows, path=path, file=file, pause=pause)
        return
    # The header of a CSV has no number; a cell that holds a line break has an odd number of quotes so far.
    number, quotes = (-1, 0) if form == ExportFormat.CSV else (0, 0)
    with path.open("rb") as lines:
        for line in lines:
            if number not in rows:
                file.write(line)
            quotes += line.count(b'"') if form == ExportFormat.CSV else 0
            number += quotes % 2 == 0
            if number % GROUP_ROWS == 0:
                pause()


def _copy_groups(rows: Collection[int], *, path: Path, file: Digested, pause: Callable[[], None]) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and only wanted by who asks for it

    source = parquet.ParquetFile(path)
    writer = parquet.ParquetWriter(file, source.schema_arrow, compression="zstd")
    number = 0
    for group in range(source.num_row_groups):
        table = source.read_row_group(group)
        writer.write_table(table.filter([number + row not in rows for row in range(len(table))]))
        number += len(table)
        pause()
    writer.close()


class _JsonLines:
    """JSON lines: each line is written as it is."""

    def __init__(self, file: Digested) -> None:
        self._file = file

    def add(self, label: LabelLine) -> None:
        self._file.write(label.line)

    def close(self) -> None:
        """Nothing is left."""


class _Csv:
    """RFC 4180; features and record are JSON in a cell.

    A cell that a spreadsheet would run begins with an apostrophe, and so does one that begins with an
    apostrophe: removing one leading apostrophe gives the original text back.
    """

    def __init__(self, file: Digested, columns: tuple[str, ...]) -> None:
        self._text = io.TextIOWrapper(io.BufferedWriter(file), "utf-8", newline="")
        self._columns = columns
        self._rows = csv.writer(self._text, quoting=csv.QUOTE_ALL)
        self._rows.writerow((*columns, "features", "record"))

    def add(self, label: LabelLine) -> None:
        row = _flat(label)
        nested = (json.dumps(row[name], ensure_ascii=False) for name in ("features", "record"))
        self._rows.writerow([*(inert_cell(row[name]) for name in self._columns), *nested])

    def close(self) -> None:
        self._text.flush()
        # Else the text wrapper would close the underlying file when it is garbage collected.
        self._text.detach().detach()


class _Parquet:
    """Columns by name, `features` names with their numbers, `record` JSON; a row group at a time."""

    def __init__(self, file: Digested, columns: tuple[str, ...]) -> None:
        from pyarrow import parquet  # noqa: PLC0415 - heavy, and only wanted by who asks for it

        self._schema = _schema(columns)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, label: LabelLine) -> None:
        row = _flat(label)
        row["features"] = [{"name": name, "value": value} for name, value in row["features"].items()]
        row["record"] = json.dumps(row["record"], ensure_ascii=False)
        self._rows.append(row)
        self._bytes += len(label.line)
        if len(self._rows) >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        import pyarrow as pa  # noqa: PLC0415 - as above

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._bytes = [], 0


def _schema(columns: tuple[str, ...]) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - as above

    kinds = {
        "schema_version": pa.int32(),
        "label": pa.int8(),
        "weight": pa.float64(),
        "spam_probability": pa.float64(),
        "audit_probability": pa.float64(),
        "is_degraded": pa.bool_(),
        "is_audit_sample": pa.bool_(),
    }
    fields = [(name, kinds.get(name, pa.string())) for name in columns]
    # No map type: Hugging Face's `datasets` refuses it. A struct would need the names of all schemas.
    features = pa.list_(pa.struct([("name", pa.string()), ("value", pa.float64())]))
    return pa.schema([*fields, ("features", features), ("record", pa.string())])


def _flat(label: LabelLine) -> dict[str, Any]:
    """Parse a line and flatten `provenance`: all formats hold the same values."""
    row: dict[str, Any] = json.loads(label.line)
    provenance: dict[str, Any] = row.pop("provenance")
    return row | dict.fromkeys(_PROVENANCE) | provenance  # a tombstone has ids only


def inert_cell(value: Any) -> Any:
    """Return a value of a CSV cell that no spreadsheet runs."""
    is_marked = isinstance(value, str) and value.startswith((*_RUNS, _MARK))
    return f"{_MARK}{value}" if is_marked else value
