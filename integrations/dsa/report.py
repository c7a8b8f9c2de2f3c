"""The template of Implementing Regulation (EU) 2024/2835, with what was counted in its places."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

from integrations.dsa.counts import INDICATORS, TOTAL, Counts, hours
from moderation.queries.quality import transparency

TO_FILL = "[to fill in]"
"""What stands where the product cannot know a value: orders, notices of illegal content, staff, texts."""

_TEMPLATE = Path(__file__).with_name("template.toml")
_SUMMARY, _APPEALS, _MEANS = "1_summary", "7_appeals_and_recidivism", "8_automated_means"
_ILLEGAL, _TERMS = "5_own_initiative_illegal", "6_own_initiative_TC"
_IMPOSED = "Number of restrictions newly imposed as a result of an internal complaint"
_UPHELD, _REVERSED, _OPEN = "Decisions upheld", "Decisions reversed", "Decision omitted"
_MONTHS = (
    "Month", "Category", "Restrictions", "By the filter alone", "Median hours from arrival to decision",
    "Appeals upheld", "Appeals reversed", "Appeals undecided",
)  # fmt: skip

Row = tuple[object, ...]
Cells = dict[tuple[str, str, str], tuple[object, str]]
"""Value and context, by part, row (or indicator) and column (or scope)."""


def files(
    counts: Counts,
    accuracy: Iterable[transparency.AccuracyRow],
    *,
    service: str,
    since: datetime,
    until: datetime,
) -> dict[str, list[Row]]:
    """Return the rows of each file by its name: the template's parts, and `months`."""
    first = f"{since.astimezone(UTC):%Y-%m-%d}"
    last = f"{until.astimezone(UTC) - timedelta(microseconds=1):%Y-%m-%d}"
    template = tomllib.loads(_TEMPLATE.read_text(encoding="utf-8"))
    cells = _cells(counts, accuracy, languages=template["languages"].split())
    cells[_SUMMARY, "Starting date of reporting period", ""] = first, ""
    cells[_SUMMARY, "Ending date of reporting period", ""] = last, ""
    made = {"months": [_MONTHS, *_months(counts)]}
    for kind, rows in (("by_category", _by_category), ("by_indicator", _by_indicator)):
        made |= {
            name: list(rows(name, template, cells, service, f"{first}/{last}")) for name in template[kind]
        }
    return made


def _cells(
    counts: Counts, accuracy: Iterable[transparency.AccuracyRow], *, languages: Sequence[str]
) -> Cells:
    """Return what was counted, zeros included, by its place in the template."""
    cells: Cells = {(_TERMS, *place): (number, "") for place, number in counts.restrictions.items()}
    cells[_APPEALS, _IMPOSED, "Total number"] = counts.imposed, ""
    outcomes = ("Total number", _UPHELD, "Decisions partially reversed", _REVERSED, _OPEN)
    for indicator, outcome in product(INDICATORS, outcomes):
        cells[_APPEALS, indicator, outcome] = counts.appeals[indicator, outcome], ""
    for indicator in INDICATORS:
        cells[_APPEALS, indicator, "Median time"] = hours(counts.waits[indicator]), "in hours"
    for measure, scope in product(("solely", "not"), ("Total number", "Own-initiative", *languages)):
        indicator = f"Number of measures {measure} taken by automated means"
        cells[_MEANS, indicator, scope] = counts.measures[indicator, scope], ""
    for row in accuracy:
        share = row.estimate
        value = "" if share.value is None else f"{share.value:.4f}"
        context = f"95 % interval {share.low:.4f} to {share.high:.4f}, {share.labels} labels"
        for scope in (row.scope, *(["Own-initiative"] if row.scope == transparency.TOTAL else [])):
            cells[_MEANS, row.indicator, scope] = value, context
        for language in languages:  # unless its own row comes
            cells.setdefault((_MEANS, row.indicator, language), ("", "0 labels"))
    return cells


def _by_indicator(
    name: str, template: Mapping[str, Any], cells: Cells, service: str, period: str
) -> Iterator[Row]:
    part = template["by_indicator"][name]
    heads = part["heads"].split(",")
    yield ("Applicability", "Service", *heads)
    lists = {key: ";".join(template[key].split()) for key in ("languages", "states")}
    for line in part["rows"].format(**lists).strip("\n").split("\n"):
        applies, *places = line.split("|")
        for place in product(*(these.split(";") for these in places)):
            named = dict(zip((head for head in heads if head != "Reporting period"), place, strict=False))
            key = (name, named["Indicator"].strip(), named.get("Scope", "").strip())
            value, context = cells.get(key, (TO_FILL, ""))
            when = (period,) if "Reporting period" in heads else ()
            yield (applies, service, *when, *place, value, context)[: len(heads) + 2]


def _by_category(
    name: str, template: Mapping[str, Any], cells: Cells, service: str, period: str
) -> Iterator[Row]:
    """Yield the head and the rows of a part; those of keywords follow that of their category."""
    part = template["by_category"][name]
    part = template["by_category"][part.get("heads_of", name)] | part
    [heads] = csv.reader([part["heads"]])
    first, *columns = heads
    yield ("Applicability", "Service", "Reporting period", part.get("first_head", first), *columns)
    categories = {TOTAL: ""} | template["categories"]
    if "last" in part:
        categories[part["last"]] = part.get("last_keywords", "")
    # All that is decided here counts in these two parts: what was not counted is zero.
    empty = 0 if name in (_ILLEGAL, _TERMS) else TO_FILL
    for category, keywords in categories.items():
        codes = [f"KEYWORD_{word}" for word in keywords.split()]
        for code in ("", *codes, *(["KEYWORD_OTHER"] if codes else [])):
            place = f"{category}/{code}" if code else category
            shown = (_cell(cells.get((name, place, column.strip())), column, empty) for column in columns)
            yield (part["applicability"], service, period, code or category, *shown)


def _cell(counted: tuple[object, str] | None, column: str, empty: object) -> object:
    if column.startswith(("Contextual", "Description")):
        return ""
    if column == "Scope":
        return TOTAL
    return empty if counted is None else counted[0]


def _months(counts: Counts) -> Iterator[Row]:
    for (month, category), told in sorted(counts.months.items()):
        appeals = (told.appeals[outcome] for outcome in (_UPHELD, _REVERSED, _OPEN))
        yield month, category, len(told.hours), told.automatic, hours(told.hours), *appeals
