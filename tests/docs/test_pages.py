"""The pages: their links, the paths, tests and pictures that they name, and the map of the code."""

import re
import struct
import tomllib
from pathlib import Path

import pytest
from django.conf import settings

from deploy.local.places import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")


def _text(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _text(page), re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", heading.strip().lower()) for heading in headings]
    return {word.replace(" ", "-") for word in words}


NAMES_OF_PAGES = [str(page.relative_to(ROOT)) for page in PAGES]
_MADE_BY_OPERATORS = {"deploy/.env"}
_TOP = (
    *("config", "integrations", "moderation", "scoring", "triton_repo", "templates", "static", "locale"),
    *("tests", "deploy", "lab", "simulation", "training", "docs"),
)
_NAMED = re.compile(r"(?<![\w/.-])((?:" + "|".join(_TOP) + r")/[\w./-]*\w/?)")
_SHORT = re.compile(r"(?<![\w/])((?:operations|queries)/[\w/]+\.py)")
_SQL = re.compile(r"\.cursor\(\)|\.raw\(|RawSQL\(|prepared\.(?:rows|run)\(")


def _paths(page: str) -> set[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return {name.rstrip("/") for name in _NAMED.findall(text)} | {
        f"moderation/{name}" for name in _SHORT.findall(text)
    }


PICTURES = ROOT / "docs" / "pictures"
_PICTURE = re.compile(r"pictures/([\w-]+\.png)")
ROWS = [
    line
    for line in (ROOT / "docs" / "reliability.md").read_text().splitlines()
    if line.startswith("| ") and "`tests/" in line
]


@pytest.mark.parametrize("page", PAGES, ids=NAMES_OF_PAGES)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for path, anchor in _LINK.findall(_text(page)):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
            broken.append(f"{path}#{anchor}")

    assert broken == []


@pytest.mark.parametrize("page", NAMES_OF_PAGES)
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


def test_every_picture_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in _PICTURE.findall(page.read_text())}

    assert named - {path.name for path in PICTURES.iterdir()} == set()
    assert {path.name for path in PICTURES.glob("*-light-1280.png")} - named == set()


def test_every_picture_has_the_size_in_its_name() -> None:
    sizes = {"1280": (1280, 800), "1920": (1920, 1080)}
    for path in PICTURES.iterdir():
        shown = struct.unpack(">II", path.read_bytes()[16:24])

        assert shown == sizes[path.stem.rpartition("-")[2]], path.name


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


def test_one_version_stands_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    files = [ROOT / "CHANGELOG.md", *(ROOT / "deploy" / "containers").glob("*.Dockerfile")]
    files += [ROOT / "deploy" / "compose.yaml", ROOT / "deploy" / "kubernetes" / "kustomization.yaml"]
    pattern = r"(?:^## |spamdesk(?:-\w+)*:|newTag: )(\d+\.\d+\.\d+)"
    named = {path.name: re.findall(pattern, path.read_text(), re.MULTILINE)[:1] for path in files}

    assert version == settings.VERSION
    assert named == {key: [version] for key in named}
