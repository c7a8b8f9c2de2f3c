"""What the page Quality and the API show: figures as they were last estimated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from moderation.models import QualityFigure, QualityTable
from moderation.models.quality import Dimension, Measure, QualitySpan, QualityTableKind, QualityUnit
from moderation.queries import keyset
from moderation.queries.keyset import Key, Page
from moderation.queries.quality import estimates, figures
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.tables import Rows
from scoring.routing import ALLOW_LEAK

SPANS = (QualitySpan.DAYS_7, QualitySpan.DAYS_28, QualitySpan.DAYS_90)
_STEP = {QualitySpan.DAYS_90: QualitySpan.WEEK}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One platform's figures, or all platforms', of a span; `trend` has a row per measure and step."""

    slices: Sequence[QualityFigure]
    trend: Sequence[QualityFigure]
    tables: Mapping[QualityTableKind, Rows]
    estimated_at: datetime | None

    def of(self, *, dimension: Dimension, name: str) -> list[QualityFigure]:
        """Return the figures of a slice."""
        return [row for row in self.slices if row.dimension == dimension and row.slice == name]


def sheet(
    *, platform_id: int | None, span: QualitySpan, unit: QualityUnit = QualityUnit.POSTS, at: datetime
) -> Sheet:
    """Read a span in three queries."""
    rows = QualityFigure.objects.filter(platform=platform_id, unit=unit)
    step = _STEP.get(span, QualitySpan.DAY)
    days = {QualitySpan.DAYS_7: 7, QualitySpan.DAYS_28: 28}.get(span, 90)
    counted = list(QualityTable.objects.filter(platform=platform_id, span=span))
    return Sheet(
        slices=list(rows.filter(span=span)),
        trend=[
            row
            for row in rows.filter(span=step).order_by("start", "measure")
            if row.start >= at - timedelta(days=days)
        ],
        tables={QualityTableKind(table.kind): table.rows for table in counted},
        estimated_at=max((table.counted_at for table in counted), default=None),
    )


def more_labels(row: QualityFigure) -> int | None:
    """Return about how many more labels a figure's wide interval lacks (`estimates.more_labels`)."""
    return estimates.more_labels(Estimate(value=row.value, low=row.low, high=row.high, labels=row.labels))


def let_through(*, platform_id: int | None) -> tuple[float, float] | None:
    """Return the bound of the spam among posts let through in 28 days, and the promise if it is broken."""
    rows = QualityFigure.objects.filter(
        platform=platform_id,
        unit=QualityUnit.POSTS,
        span=QualitySpan.DAYS_28,
        dimension=Dimension.ALL,
        measure=Measure.MISSED,
    )
    low = rows.values_list("low", flat=True).first()
    return (low, ALLOW_LEAK) if low is not None and low > ALLOW_LEAK else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which figures: of a dimension, or of one slice by language (`und` for unknown) and release."""

    span: QualitySpan
    dimension: str = ""
    language: str = ""
    release: str = ""
    unit: QualityUnit = QualityUnit.POSTS


def page(*, platform_id: int, wanted: Wanted, after: Key | None, limit: int) -> Page[QualityFigure]:
    """Return a platform's figures, slice by slice; a cursor stays good when they are estimated anew."""
    rows = QualityFigure.objects.filter(platform=platform_id, span=wanted.span, unit=wanted.unit)
    if wanted.dimension:
        rows = rows.filter(dimension=wanted.dimension)
    if wanted.language or wanted.release:
        dimension, name = figures.slice_of(language=wanted.language, release=wanted.release)
        rows = rows.filter(dimension=dimension, slice=name)
    # Of one span and unit ending now there is one figure a slice and measure: that makes the order total.
    return keyset.page(rows, order=("dimension", "slice", "measure"), after=after, limit=limit)
