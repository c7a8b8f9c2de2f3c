"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import re

import pytest

from deploy.local.places import ROOT

pytestmark = pytest.mark.gate

ROWS = [
    line
    for line in (ROOT / "docs" / "reliability.md").read_text().splitlines()
    if line.startswith("| ") and "`tests/" in line
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_names_tests_that_exist(row: str) -> None:
    named = re.findall(r"`([^`]+)`", "|".join(row.split("|")[3:]))
    texts, folder = [], ROOT
    for path in (name.partition("::") for name in named if name.endswith((".py", "/")) or "::" in name):
        file = ROOT / path[0] if path[0].startswith("tests/") else folder / path[0]
        assert file.exists(), path[0]
        if file.is_file():
            folder = file.parent
            texts.append(file.read_text())
            assert path[2] in texts[-1], path[2]
    words = [name for name in named if re.fullmatch(r"[a-z_]+", name)]
    assert all(any(re.search(rf"def test_\w*{word}", text) for text in texts) for word in words), words
