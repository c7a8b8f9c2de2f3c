"""Layout of templates and styles: one element and one property per line, at most 120 characters.

The rest of their layout is djangofmt's, in `make lint`.
"""

import re
from pathlib import Path

import cssbeautifier
import pytest

from deploy.local.places import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static").rglob("*.css"))
_LONGEST = 120
# Two elements side by side, without a word between them.
_NEIGHBOURS = re.compile(r"</[a-z0-9]+>\s*<[a-z]")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TEMPLATES + STYLES, ids=relative)
def test_no_line_is_too_long(path: Path) -> None:
    assert [line for line in path.read_text().splitlines() if len(line) > _LONGEST] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=relative)
def test_no_line_has_two_elements_side_by_side(path: Path) -> None:
    assert [line for line in path.read_text().splitlines() if _NEIGHBOURS.search(line)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=relative)
def test_what_scrolls_sideways_can_be_scrolled_by_keyboard(path: Path) -> None:
    """Only a phone's window shows it to axe: the tables of the other widths fit."""
    scrolled = re.findall(r"<[^>]*\btable-scroll\b[^>]*>", path.read_text())

    assert [each for each in scrolled if 'tabindex="0"' not in each or "aria-label" not in each] == []


@pytest.mark.parametrize("path", STYLES, ids=relative)
def test_styles_have_one_property_per_line(path: Path) -> None:
    """`python -m tests.moderation.web.test_layout` lays them out so."""
    assert path.read_text() == laid_out(path)


@pytest.mark.parametrize("path", STYLES, ids=relative)
def test_a_file_of_styles_is_loaded(path: Path) -> None:
    name = path.relative_to(ROOT / "static").as_posix()

    assert any(f"'{name}'" in template.read_text() for template in TEMPLATES)


def laid_out(path: Path) -> str:
    """Return a style sheet as its formatter writes it."""
    options = cssbeautifier.default_options()
    options.indent_size = 2
    options.end_with_newline = True
    options.space_around_combinator = True
    return str(cssbeautifier.beautify(path.read_text(), options))


if __name__ == "__main__":
    for style in STYLES:
        style.write_text(laid_out(style))
