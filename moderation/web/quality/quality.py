"""The page Quality: what the filter gets right, with intervals, as last estimated.

Its charts are positions only; the stylesheet sets colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Platform, QualityFigure
from moderation.models.quality import Dimension, Measure, QualitySpan, QualityTableKind, QualityUnit
from moderation.models.scores import RouteChoice
from moderation.queries.quality import coverage, figures, removal, stored
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.queries.quality.stored import Sheet
from moderation.queries.quality.tables import Rows
from moderation.web import access, csv_files, quantities
from moderation.web.quality import plan, shares, tables

STEP, HEIGHT = 16, 60
_FEWEST_STEPS, _MOST_TICKS = 7, 7
_SIDE = 200


class QualityForm(forms.Form):
    """A platform, a span, a language and a release; invalid values are ignored."""

    platform = forms.SlugField(required=False)
    span = forms.ChoiceField(choices=[(span.value, span.label) for span in stored.SPANS], required=False)
    language = forms.CharField(max_length=35, required=False)
    release = forms.CharField(max_length=64, required=False)
    unit = forms.ChoiceField(choices=QualityUnit.choices, required=False)

    def unit_chosen(self) -> QualityUnit:
        """Return the shares' unit."""
        self.is_valid()
        return QualityUnit(self.cleaned_data.get("unit") or QualityUnit.POSTS)

    def chosen(self) -> tuple[Platform | None, QualitySpan, str, str]:
        """Return platform, span, language and release."""
        self.is_valid()
        platform = Platform.objects.filter(slug=self.cleaned_data.get("platform") or "").first()
        span = QualitySpan(self.cleaned_data.get("span") or QualitySpan.DAYS_28)
        language, release = (self.cleaned_data.get(name) or "" for name in ("language", "release"))
        return platform, span, language, release


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the five figures, their course, and every table."""
    at = timezone.now()
    form = QualityForm(request.GET)
    platform, span, language, release = form.chosen()
    dimension, name = figures.slice_of(language=language, release=release)
    unit = form.unit_chosen()
    sheet = stored.sheet(platform_id=platform.pk if platform else None, span=span, unit=unit, at=at)
    all_tables = tables.shown(sheet, may_open=request.user.may_lead)
    context = {
        "section": "quality",
        "at": at,
        "sheet": sheet,
        "fewest": FEWEST_SHOWN,
        "figures": _figures(sheet, dimension=dimension, name=name),
        "plan": plan.plan(sheet.tables.get(QualityTableKind.PLAN, [])),
        "removal": [removal.standing(platform)] if platform else removal.standings(at=at),
        "undecided": plan.undecided(sheet.tables.get(QualityTableKind.UNDECIDED, [])),
        "trend": trend(sheet.trend),
        "height": HEIGHT,
        "measures": [measure.label for measure in Measure],
        "reliability": reliability(sheet.tables.get(QualityTableKind.RELIABILITY, [])),
        "tables": [table for table in all_tables if table.rows],
        "empty": [table.title for table in all_tables if not table.rows],
        "platforms": [("", _("all platforms")), *Platform.objects.values_list("slug", "name")],
        "platform": platform.slug if platform else "",
        "spans": [(span.value, span.label) for span in stored.SPANS],
        "span": span,
        "languages": [("", _("all languages")), *_choices(sheet, Dimension.LANGUAGE)],
        "language": language,
        "releases": [("", _("all releases")), *_choices(sheet, Dimension.RELEASE)],
        "release": release,
        "units": QualityUnit.choices,
        "unit": unit,
        "query": f"platform={platform.slug if platform else ''}&span={span.value}&unit={unit.value}",
    }
    return render(request, "quality/quality.html", context)


@access.exporters.get
def export(request: access.DeskRequest, table: str) -> HttpResponse:
    """Send one table of the page as CSV, with the numbers as they were estimated."""
    form = QualityForm(request.GET)
    platform, span, *_rest = form.chosen()
    at, unit = timezone.now(), form.unit_chosen()
    sheet = stored.sheet(platform_id=platform.pk if platform else None, span=span, unit=unit, at=at)
    rows = _csv_rows(sheet, table)
    if rows is None:
        raise Http404
    name = f"quality-{table}-{platform.slug if platform else 'all'}-{span.value}-{at:%Y-%m-%d}.csv"
    return csv_files.answer([rows[0] if rows else [], *(row.values() for row in rows)], name=name)


def _figures(sheet: Sheet, *, dimension: Dimension, name: str) -> list[dict[str, object]]:
    rows = {Measure(row.measure): row for row in sheet.of(dimension=dimension, name=name)}
    return [
        {
            "name": measure.label,
            "value": None if row.value is None else shares.share(row.value),
            "unknown": shares.weighted(row) if row.labels < FEWEST_SHOWN else _withheld(rows),
            "interval": shares.interval(row.low, row.high),
            "labels": shares.labels(row.labels),
            "more": shares.more(stored.more_labels(row)),
            "uniform": shares.uniform(row),
        }
        for measure in Measure
        if (row := rows.get(measure))
    ]


def _withheld(rows: Mapping[Measure, QualityFigure]) -> str:
    """Say why a figure of these is withheld although it has labels."""
    without = coverage.unlabelled({measure: row.labels for measure, row in rows.items()})
    if not without:
        return _("Not known: too many posts wait in review")
    names = [quantities.route(route) for route in RouteChoice if route in without]
    return _("Not known, since these routes have no label: {routes}").format(routes=", ".join(names))


def _choices(sheet: Sheet, dimension: Dimension) -> list[tuple[str, str]]:
    names = {row.slice for row in sheet.slices if row.dimension == dimension}
    return [(name or figures.UNKNOWN_LANGUAGE, tables.slice_name(dimension, name)) for name in sorted(names)]


_FIGURE_COLUMNS = (
    "dimension", "slice", "measure", "unit", "start", "end", "value", "low", "high", "labels",
    "uniform_value", "uniform_low", "uniform_high", "uniform_labels",
)  # fmt: skip


def _csv_rows(sheet: Sheet, table: str) -> list[dict[str, object]] | None:
    """Return the rows of a table, None if there is no such table."""
    if table in ("trend", "figures"):
        figure_rows = sheet.trend if table == "trend" else sheet.slices
        return [{name: getattr(row, name) for name in _FIGURE_COLUMNS} for row in figure_rows]
    if table in set(QualityTableKind):
        return list(sheet.tables.get(QualityTableKind(table), []))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """An estimate with its interval, in units of the drawing; y grows downwards."""

    x: float
    y: float
    top: float
    bottom: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One measure over time; the drawing reaches from 0 to `most`."""

    name: str
    most: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The measures that have points on one axis, named at some steps, and a table with a row per step."""

    lanes: tuple[Lane, ...]
    width: int
    ticks: tuple[datetime | None, ...]
    rows: tuple[tuple[datetime, tuple[str, ...]], ...]


def trend(figures: Sequence[QualityFigure]) -> Trend:
    """Draw the steps that have labels; those with too few have no point."""
    starts = sorted({row.start for row in figures})
    places = {start: place for place, start in enumerate(starts)}
    lanes = [
        _lane(measure, [row for row in figures if row.measure == measure], places) for measure in Measure
    ]
    rows = []
    for start, group in groupby(sorted(figures, key=lambda row: row.start), key=lambda row: row.start):
        words = {row.measure: shares.weighted(row) for row in group}
        rows.append((start, tuple(words.get(measure, "\N{EN DASH}") for measure in Measure)))
    steps = max(_FEWEST_STEPS, len(starts))
    every = -(-len(starts) // _MOST_TICKS)
    labels = [start if place % every == 0 else None for place, start in enumerate(starts)]
    return Trend(
        lanes=tuple(lane for lane in lanes if lane.points),
        width=steps * STEP,
        ticks=(*labels, *[None] * (steps - len(starts))),
        rows=tuple(rows),
    )


def _lane(measure: Measure, figures: Sequence[QualityFigure], places: dict[datetime, int]) -> Lane:
    measured = [row for row in figures if row.value is not None]
    most = max((row.high for row in measured), default=1.0) or 1.0
    return Lane(
        name=str(measure.label),
        most=shares.share(most),
        points=tuple(
            Point(
                x=places[row.start] * STEP + STEP / 2,
                y=round(HEIGHT * (1 - (row.value or 0.0) / most), 1),
                top=round(HEIGHT * (1 - row.high / most), 1),
                bottom=round(HEIGHT * (1 - row.low / most), 1),
                words=shares.weighted(row),
            )
            for row in measured
        ),
    )


def reliability(rows: Rows) -> tuple[Point, ...]:
    """Draw true shares over probabilities; on the diagonal the model is right."""
    return tuple(
        Point(
            x=round(row["said"] * _SIDE, 1),
            y=round(_SIDE * (1 - row["value"]), 1),
            top=round(_SIDE * (1 - row["high"]), 1),
            bottom=round(_SIDE * (1 - row["low"]), 1),
            words=shares.estimate(row["value"], row["low"], row["high"], row["labels"]),
        )
        for row in rows
        if row["value"] is not None
    )
