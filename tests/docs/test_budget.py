"""The budget in pyproject.toml: how large code, tests and docs may be."""

import subprocess
import tomllib
from collections.abc import Iterable

import pytest

from deploy.local.places import ROOT

BUDGET = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["spamdesk"]["budget"]
_CORE = ("config/", "moderation/", "scoring/")
_MIGRATIONS = "moderation/migrations/"


def _files(suffix: str) -> list[str]:
    """Return the files of git with this suffix, new ones that it does not ignore included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", f"*{suffix}"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).exists()]


def _lines(names: Iterable[str]) -> int:
    return sum((ROOT / name).read_text(encoding="utf-8").count("\n") for name in names)


def _counted() -> dict[str, int]:
    python = _files(".py")
    return {
        "python_lines": _lines(name for name in python if not name.startswith("tests/")),
        "core_lines": _lines(
            name for name in python if name.startswith(_CORE) and not name.startswith(_MIGRATIONS)
        ),
        "test_lines": _lines(name for name in python if name.startswith("tests/")),
        "doc_words": sum(len((ROOT / name).read_text(encoding="utf-8").split()) for name in _files(".md")),
    }


@pytest.mark.parametrize("what", ["python_lines", "core_lines", "test_lines", "doc_words"])
def test_is_kept(what: str) -> None:
    assert _counted()[what] <= BUDGET[what], (
        f"{what}: delete what is worth less, or raise the figure and say why"
    )
