"""Tables sent as CSV files that no spreadsheet runs."""

import csv
import io
from collections.abc import Iterable, Iterator

from django.http import HttpResponse, StreamingHttpResponse

from moderation.operations.labels.export_formats import inert_cell

_TYPE = "text/csv; charset=utf-8"


def answer(rows: Iterable[Iterable[object]], *, name: str) -> HttpResponse:
    """Send a table whose first row names its columns, as a file of this name."""
    return HttpResponse(_lines(rows), content_type=_TYPE, headers=_attached(name))


def streamed(rows: Iterable[Iterable[object]], *, name: str) -> StreamingHttpResponse:
    """Send a table of any length a line at a time, as `answer`."""
    return StreamingHttpResponse(_lines(rows), content_type=_TYPE, headers=_attached(name))


def _lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    for row in rows:
        text = io.StringIO()
        csv.writer(text).writerow([inert_cell(cell) for cell in row])
        yield text.getvalue()


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
