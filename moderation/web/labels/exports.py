"""The exports page: ask, watch, download."""

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from moderation.models import Export
from moderation.models.exports import ExportFormat, ExportState
from moderation.operations.labels import export_files, exports
from moderation.queries.labels import labels
from moderation.queries.labels.labels import LabelFilter
from moderation.web import access
from moderation.web.forms import ExportForm
from moderation.web.labels import label_warnings

_SHOWN = 30


@access.exporters.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the exports, and request a new one."""
    form = ExportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        since, until = form.window()
        label_filter = LabelFilter(since=since, until=until)
        form_of_file = form.cleaned_data["format"] or ExportFormat.JSONL
        exports.request(requested_by=request.user, wanted=label_filter, form=form_of_file, at=timezone.now())
        return redirect("exports")
    context = {
        "section": "models",
        "at": timezone.now(),
        "form": form,
        "exports": Export.objects.select_related("requested_by")[:_SHOWN],
        "labels": labels.count(wanted=LabelFilter()),
        "weak": label_warnings.gravest(),
    }
    return render(request, "labels/exports.html", context, status=422 if form.errors else 200)


@access.exporters.get
def row(request: access.DeskRequest, export_id: int) -> HttpResponse:
    """Show the row of one export, for the page that polls it."""
    export = get_object_or_404(Export.objects.select_related("requested_by"), pk=export_id)
    if not request.htmx:
        return redirect("exports")
    return render(request, "labels/exports.html#row", {"export": export, "at": timezone.now()})


@access.exporters.get
def download(request: access.DeskRequest, export_id: int) -> FileResponse:
    """Stream the file of a finished export."""
    export = get_object_or_404(Export, pk=export_id, state=ExportState.READY)
    if not exports.may_download(export, person=request.user):
        raise PermissionDenied
    path = export_files.path_of(export)
    try:
        file = path.open("rb")
    except FileNotFoundError as refusal:
        raise Http404("The file of this export was removed.") from refusal
    return FileResponse(
        file, as_attachment=True, filename=path.name, content_type=exports.media_type_of(export)
    )
