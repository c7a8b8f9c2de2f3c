"""The results on the page of benchmarks: each figure of the table is in the section that its row links to."""

from __future__ import annotations

import re

from deploy.local.places import ROOT

_ROW = re.compile(r"^\| (?!what |---)(.*) \|$", re.MULTILINE)
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def _sections() -> dict[str, str]:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    parts = re.split(r"^#{2,4} (.*)$", page, flags=re.MULTILINE)
    names = (re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in parts[1::2])
    return dict(zip(names, parts[2::2], strict=True))


def test_every_figure_of_the_results_stands_in_its_section() -> None:
    sections = _sections()
    missing, section = [], ""
    for row in _ROW.findall(sections["results"]):
        cells = row.split(" | ")
        section = next(iter(re.findall(r"\(#([\w-]+)\)", cells[-1])), section)
        known = set(_NUMBER.findall(sections[section]))
        figures = [figure for cell in cells[2:4] for figure in _NUMBER.findall(cell)]
        missing += [f"{cells[0]}: {figure} is not in #{section}" for figure in figures if figure not in known]

    assert missing == []
