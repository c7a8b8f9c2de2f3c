"""The map of the code: every path that a page names is there, and the map leaves none out."""

from __future__ import annotations

import re

import pytest

from deploy.local.places import ROOT

PAGES = [str(page.relative_to(ROOT)) for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))]
_MADE_BY_OPERATORS = {"deploy/.env"}
_TOP = (
    "config",
    "moderation",
    "scoring",
    "triton_repo",
    "templates",
    "static",
    "locale",
    "tests",
    "deploy",
    "lab",
    "simulation",
    "training",
    "docs",
)
_NAMED = re.compile(r"(?<![\w/.-])((?:" + "|".join(_TOP) + r")/[\w./-]*\w/?)")
_SHORT = re.compile(r"(?<![\w/])((?:operations|queries)/[\w/]+\.py)")
_SQL = re.compile(r"\.cursor\(\)|\.raw\(|RawSQL\(")


def _paths(page: str) -> set[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return {name.rstrip("/") for name in _NAMED.findall(text)} | {
        f"moderation/{name}" for name in _SHORT.findall(text)
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    named = _paths(page) - _MADE_BY_OPERATORS
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_subject_of_operations_stands_on_the_map() -> None:
    folder = ROOT / "moderation" / "operations"
    subjects = {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}
    named = _paths("docs/architecture.md")

    assert {name for name in subjects if f"moderation/operations/{name}" not in named} == set()


def test_every_module_with_raw_sql_is_listed() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Raw SQL")[2]
    with_sql = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "moderation").rglob("*.py")
        if "migrations" not in path.parts and _SQL.search(path.read_text(encoding="utf-8"))
    }

    assert set(re.findall(r"`(moderation/[\w/]+\.py)`", text)) == with_sql


def test_no_layer_has_more_than_a_dozen_modules_beside_its_folders() -> None:
    for layer in ("operations", "queries", "web"):
        modules = [
            path.name for path in (ROOT / "moderation" / layer).glob("*.py") if path.name != "__init__.py"
        ]

        assert len(modules) <= 12, (layer, modules)
