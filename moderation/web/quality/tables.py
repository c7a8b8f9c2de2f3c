"""The tables of the page Quality in words: one form for all, as a page and as CSV."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from moderation.models import QualityFigure, Reason, Rule
from moderation.models.decisions import AUTOMATIC_REASONS, DecisionSource
from moderation.models.posts import ComplaintReason
from moderation.models.quality import Dimension, Measure, QualityTableKind
from moderation.models.rules import RuleEffect
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.queries.quality.stored import Sheet
from moderation.queries.quality.tables import Rows
from moderation.web import quantities
from moderation.web.quality import shares


@dataclass(frozen=True, slots=True)
class Cell:
    """Words, and the URL of the posts behind them, "" if there is none."""

    words: str
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """A table: the first cell of a row is its name."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def file(self) -> str:
        """Return the name of its CSV: the slices are in one file."""
        return "figures" if self.key in Dimension else self.key


def shown(sheet: Sheet, *, may_open: bool) -> list[ShownTable]:
    """Return every table, that of the reliability diagram first, some of them without rows.

    Numbers link to lists only for those who may open them.
    """
    reliability, *others = _counted(sheet, may_open=may_open)
    return [reliability, *(_slices(sheet, axis) for axis in Dimension if axis not in _UNSHOWN), *others]


def _counted(sheet: Sheet, *, may_open: bool) -> list[ShownTable]:
    reasons = {reason.code: reason.shown_title for reason in Reason.objects.all()}
    titles = {**{code: str(words) for code, words in AUTOMATIC_REASONS.items()}, **reasons}
    rules = {row["rule"] for row in sheet.tables.get(QualityTableKind.RULES, [])}
    names = {
        str(rule.pk): f"{rule.get_kind_display()}: {rule.value}" for rule in Rule.objects.filter(pk__in=rules)
    }
    readers = _Shown(titles=titles | names, may_open=may_open)
    return [
        _table(kind, [row for row in sheet.tables.get(kind, []) if row.get("labels") != 0], readers)
        for kind in _KINDS
    ]


def _slices(sheet: Sheet, dimension: Dimension) -> ShownTable:
    rows: dict[str, dict[str, QualityFigure]] = {}
    for row in sheet.slices:
        if row.dimension == dimension:
            rows.setdefault(row.slice, {})[row.measure] = row
    measures = [kind for kind in Measure if any(kind in row for row in rows.values())] or [Measure.PREVALENCE]
    names = [str(measure.label) for measure in measures]
    if dimension == Dimension.ROUTE:
        names = [_("Spam among these posts")]
    return ShownTable(
        key=dimension.value,
        title=str(dimension.label),
        columns=(str(dimension.label), *names),
        rows=tuple(
            (Cell(slice_name(dimension, name)), *(Cell(shares.weighted(row[kind])) for kind in measures))
            for name, row in sorted(rows.items())
        ),
    )


def slice_name(dimension: Dimension, name: str) -> str:
    """Return a slice in words."""
    if dimension == Dimension.RELEASE:
        return name[:12]
    if dimension == Dimension.ROUTE:
        return quantities.route(name)
    return name or _("not stated")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """Titles by code, and whether the reader may open the lists behind the numbers."""

    titles: Mapping[str, str]
    may_open: bool


def _table(kind: QualityTableKind, rows: Rows, shown: _Shown) -> ShownTable:
    columns, row_of = _KINDS[kind]
    return ShownTable(
        key=kind.value,
        title=str(kind.label),
        columns=tuple(_columns()[name] for name in columns),
        rows=tuple(tuple(row_of(row, shown)) for row in rows),
    )


def _columns() -> dict[str, str]:
    return {
        "reason": _("Reason"),
        "decided": _("Decided by"),
        "corrected": _("Corrected"),
        "granted": _("Granted"),
        "filed": _("Filed"),
        "spam": _("Judged to be spam"),
        "posts": _("Posts reported"),
        "rule": _("Rule"),
        "effect": _("Effect"),
        "right": _("People agreed"),
        "probability": _("Probability"),
        "said": _("Mean probability"),
        "found": _("Found to be spam"),
        "same": _("Same decision"),
        "alpha": _("Krippendorff\N{RIGHT SINGLE QUOTATION MARK}s alpha"),
    }


_UNSHOWN = (Dimension.ALL, Dimension.LANGUAGE_RELEASE)
"""Slices that the page shows one at a time."""

_Row = Callable[[dict[str, Any], _Shown], Sequence[Cell]]


def _reason(row: dict[str, Any], shown: _Shown) -> Cell:
    code = row["reason"]
    if not code:
        return Cell(_("no reason"))
    address = f"{reverse('decisions')}?reason={code}" if shown.may_open else ""
    return Cell(shown.titles.get(code, code), address)


def _source(row: dict[str, Any]) -> Cell:
    return Cell(_("the filter") if row["source"] == DecisionSource.AUTOMATIC else _("people"))


def _overrides(row: dict[str, Any], shown: _Shown) -> Sequence[Cell]:
    return _reason(row, shown), _source(row), Cell(shares.counted(row["part"], row["decisions"]))


def _appeals(row: dict[str, Any], shown: _Shown) -> Sequence[Cell]:
    filed = Cell(quantities.count(row["filed"]), reverse("appeals") if shown.may_open else "")
    granted = Cell(shares.counted(row["part"], row["settled"]))
    return _reason(row, shown), _source(row), filed, granted


def _complaints(row: dict[str, Any], _: _Shown) -> Sequence[Cell]:
    name = Cell(str(ComplaintReason(row["reason"]).label))
    return name, Cell(quantities.count(row["posts"])), Cell(shares.counted(row["part"], row["judged"]))


def _rules(row: dict[str, Any], shown: _Shown) -> Sequence[Cell]:
    number = str(row["rule"])
    address = reverse("rule-draft", args=[row["rule"]]) if shown.may_open else ""
    effect = Cell(str(RuleEffect(row["effect"]).label))
    name = Cell(shown.titles.get(number, number), address)
    return name, effect, Cell(shares.counted(row["part"], row["judged"]))


def _reliability(row: dict[str, Any], _: _Shown) -> Sequence[Cell]:
    forecast = "\N{EN DASH}" if row["said"] is None or row["value"] is None else shares.share(row["said"])
    estimate = shares.estimate(row["value"], row["low"], row["high"], row["labels"])
    return Cell(f"{row['from'] * 100:.0f}\N{EN DASH}{row['to'] * 100:.0f} %"), Cell(forecast), Cell(estimate)


def _agreement(row: dict[str, Any], shown: _Shown) -> Sequence[Cell]:
    name = _reason(row, shown) if row["reason"] else Cell(_("all reasons"))
    alpha = "\N{EN DASH}"
    if row["alpha"] is not None and row["texts"] >= FEWEST_SHOWN:
        alpha = f"{row['alpha']:.2f} ({row['low']:.2f} … {row['high']:.2f})"
    return name, Cell(shares.counted(row["same"], row["texts"])), Cell(alpha)


_KINDS: Mapping[QualityTableKind, tuple[tuple[str, ...], _Row]] = {
    QualityTableKind.RELIABILITY: (("probability", "said", "found"), _reliability),
    QualityTableKind.OVERRIDES: (("reason", "decided", "corrected"), _overrides),
    QualityTableKind.APPEALS: (("reason", "decided", "filed", "granted"), _appeals),
    QualityTableKind.COMPLAINTS: (("reason", "posts", "spam"), _complaints),
    QualityTableKind.RULES: (("rule", "effect", "right"), _rules),
    QualityTableKind.AGREEMENT: (("reason", "same", "alpha"), _agreement),
}
