"""One word per thing: each subject has one noun in every layer, and synonyms that were given up stay away."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from tests.docs.test_test_files import CODE

_NAMES = tomllib.loads(Path(__file__).with_name("subjects.toml").read_text(encoding="utf-8"))
SUBJECTS, BESIDE = _NAMES["subjects"], _NAMES["beside"]

FORBIDDEN = {
    r"comfort\w*": "preferences",
    r"waves?": "hold, of a rule's effect",
    r"newcomers?": "new member of a campaign; user before the first change of password",
    r"in a circle": "deadlock",
    r"doors?": "interface, API, view guard",
    r"house": "product, repository",
    r"rooms": "package, page",
}
ALLOWED = {
    ("newcomer", "lab/newcomer.py"): "the bench of somebody who clones the repository",
    ("newcomer", "docs/benchmarks.md"): "the same",
    ("rooms", "integrations/matrix.py"): "Matrix's own word",
    ("rooms", "tests/integrations/matrix_server.py"): "the same",
    ("newcomer", "docs/simulation.md"): "authors who are new to a platform",
    ("newcomer", "simulation/authors.py"): "the same",
    ("newcomer", "simulation/circumstances.py"): "the same",
    ("newcomer", "simulation/population.py"): "the same",
    ("newcomer", "tests/simulation/test_realism.py"): "the same",
    ("newcomer", "tests/moderation/queries/records/test_records.py"): "the same",
}
"""Where a forbidden word is right, by its beginning and file."""


def _names(folder: Path) -> set[str]:
    return {
        path.stem
        for path in folder.iterdir()
        if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }


@pytest.mark.parametrize("layer", BESIDE)
def test_each_layer_calls_its_subjects_by_one_noun(layer: str) -> None:
    nouns = set(SUBJECTS).union(*SUBJECTS.values())

    assert _names(ROOT / "moderation" / layer) - nouns == set(BESIDE[layer])


def test_templates_lie_in_the_folders_of_the_pages() -> None:
    folders = {path.name for path in (ROOT / "templates").iterdir() if path.is_dir()}
    pages = {path.stem for path in (ROOT / "moderation" / "web").iterdir()}

    # The documentation of the API is no page of the desk, integrations are an app of their own, and allauth
    # names the folders of its messages.
    assert folders - pages == {"api", "integrations", "account", "mfa"}


@pytest.mark.parametrize("layer", ["operations", "queries", "web"])
def test_tests_lie_in_the_folders_of_what_they_test(layer: str) -> None:
    folders = {path.name for path in (ROOT / "tests" / "moderation" / layer).iterdir() if path.is_dir()}

    assert folders - {"__pycache__"} <= _names(ROOT / "moderation" / layer)


def _sources() -> Iterator[tuple[str, str]]:
    for top in (*CODE, "static", "templates"):
        for path in sorted((ROOT / top).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix in {".py", ".html", ".js", ".css", ".md"} and not re.search(
                r"migrations/|docs/adr/|test_words\.py", name
            ):
                yield name, path.read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md"):
        yield name, (ROOT / name).read_text(encoding="utf-8")


def _forbidden(text: str) -> set[str]:
    # Letters around it are another word, an underscore is not: `rule_wave`, but not `microwave`.
    words = "|".join(FORBIDDEN)
    return {
        match.lower() for match in re.findall(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", text, re.IGNORECASE)
    }


def _exception(word: str, name: str) -> tuple[str, str]:
    """Return the exception that a word falls under, else the word and its file."""
    return next((one for one in ALLOWED if word.startswith(one[0]) and one[1] == name), (word, name))


def test_nobody_goes_back_to_a_synonym() -> None:
    found = {_exception(word, name) for name, text in _sources() for word in _forbidden(text)}

    assert found - set(ALLOWED) == set()
    # An exception that nothing needs any more goes.
    assert set(ALLOWED) - found == set()
