"""Pages of imports of past actions: upload, columns, progress, report."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations import history, past_file, tasks
from integrations.connectors import CONNECTORS
from integrations.fields import digits
from integrations.models import HistoryImport, HistoryState, Integration, IntegrationState
from integrations.past_file import Columns, Unreadable
from moderation.models import Platform
from moderation.queries import outcome_counts
from moderation.queries.cases import pace
from moderation.web import access, csv_files, quantities
from moderation.web.quality import shares

_SHOWN, _FIRST = 50, 5


class UploadForm(forms.Form):
    """The file of an import."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput({"accept": ".csv,.jsonl,.ndjson", "class": "input"}),
    )


class ColumnsForm(forms.Form):
    """Which column is what; then, once the action's is known, what its values mean."""

    platform = forms.ModelChoiceField(
        Platform.objects.order_by("slug"),
        label=gettext_lazy("Platform, if it is connected already"),
        required=False,
    )
    seconds = forms.IntegerField(
        label=gettext_lazy("Seconds that a post takes your moderators"), min_value=1, max_value=3_600
    )
    is_whole = forms.BooleanField(
        label=gettext_lazy("The file has every post of its time, not only those that somebody looked at"),
        required=False,
    )

    def __init__(self, *given: Any, row: HistoryImport, **named: Any) -> None:
        super().__init__(*given, **named)
        choices = [("", "\N{EN DASH}"), *((name, name) for name in row.columns)]
        names = {**row.mapping.get("names", {})}
        for part, label in past_file.FIELDS.items():
            chosen = self.data.get(f"column-{part}", "") if self.is_bound else names.get(part, "")
            names[part] = chosen if chosen in row.columns else ""
            self.fields[f"column-{part}"] = forms.ChoiceField(
                choices=choices, label=label, required=part in past_file.NEEDED, initial=names[part]
            )
        self.names = names
        self.actions = history.actions_of(row, names["action"]) if names["action"] else []
        for place, action in enumerate(self.actions):
            self.fields[f"action-{place}"] = forms.ChoiceField(
                choices=list(past_file.MEANINGS.items()),
                label=_("“%(value)s” means") % {"value": action[:60] or _("(empty)")},
                initial=row.mapping.get("actions", {}).get(action, past_file.meaning(action)),
            )
        self.order_fields([name for name in self.fields if "-" in name])

    def columns(self) -> Columns:
        """Return what was chosen, of a valid form."""
        data = self.cleaned_data
        return Columns(
            names={part: name for part, name in self.names.items() if name},
            actions={action: data[f"action-{place}"] for place, action in enumerate(self.actions)},
            is_whole=data["is_whole"],
            seconds=data["seconds"],
        )


@access.exporters.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the imports; take a file, or read a connected platform."""
    at, kinds = timezone.now(), [name for name, kind in CONNECTORS.items() if kind.has_history]
    sources = Integration.objects.filter(state=IntegrationState.ACTIVE, kind__in=kinds)
    if chosen := digits(request.POST, "integration"):
        row = history.ask(integration=get_object_or_404(sources, pk=chosen), actor=request.user, at=at)
        tasks.judge_soon(history_id=row.pk)
        return redirect("history", history_id=row.pk)
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            row = history.take(name=file.name, file=file, actor=request.user, at=at)
        except Unreadable as refusal:
            form.add_error("file", str(refusal))
        else:
            return redirect("history", history_id=row.pk)
    context = {
        "section": "models",
        "at": at,
        "form": form,
        "sources": [(source, CONNECTORS[source.kind].title) for source in sources],
        "rows": HistoryImport.objects.select_related("imported_by")[:_SHOWN],
    }
    return render(request, "integrations/histories.html", context, status=422 if form.errors else 200)


@access.exporters.get_or_post
def history_page(request: access.DeskRequest, history_id: int) -> HttpResponse:
    """Choose the columns of an import, watch it, read its report."""
    row = get_object_or_404(HistoryImport.objects.select_related("platform"), pk=history_id)
    at, form = timezone.now(), None
    is_asked = row.state != HistoryState.READY or "columns" in request.GET
    if row.posts and (request.method == "POST" or (is_asked and not row.is_open(at=at))):
        form = _columns_form(request, row=row, at=at)
    if request.method == "POST" and form is not None and "begin" in request.POST and form.is_valid():
        with access.refusals_told(request):
            history.begin(
                history_id=row.pk,
                columns=form.columns(),
                platform=form.cleaned_data["platform"],
                actor=request.user,
                at=at,
            )
            tasks.judge_soon(history_id=row.pk)
        return redirect("history", history_id=row.pk)
    context = {
        "section": "models",
        "at": at,
        "row": row,
        "is_open": row.is_open(at=at),
        "form": form,
        "first": [
            (line.line, [line.given.get(name, "") for name in row.columns])
            for line in (row.past_lines.all()[:_FIRST] if form else ())
        ],
        "report": None if form or not row.report else row.report | _period(row.report),
        "options": _options(row.report) if row.report else [],
        "languages": _languages(row.report) if row.report else [],
        "surprises": _surprises(row, most=_SHOWN) if row.report else [],
    }
    return render(request, "integrations/history.html", context)


@access.exporters.post
def remove(request: access.DeskRequest, history_id: int) -> HttpResponse:
    """Delete an import with all that came of it."""
    history.remove(history_id=history_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Deleted, with all its posts."))
    return redirect("histories")


@access.exporters.get
def posts_csv(_: access.DeskRequest, history_id: int) -> HttpResponse:
    """Send the report's figures and the disagreements as a CSV file."""
    row = get_object_or_404(HistoryImport.objects.exclude(report=None), pk=history_id)
    return csv_files.answer(_lines(row), name=f"past-actions-{row.pk}.csv")


def _lines(row: HistoryImport) -> Iterator[list[object]]:
    names, options = _options(row.report or {})
    yield ["", *names]
    for words, cells in options:
        yield [words, *(cell for _name, cell in cells)]
    yield []
    yield [_("line"), _("Time of the post"), _("Moderators"), _("Filter"), _("Spam probability"), _("Text")]
    for line in _surprises(row):
        yield [line.line, line.posted_at, line.said, line.way, line.probability, line.text]


def _columns_form(request: access.DeskRequest, *, row: HistoryImport, at: datetime) -> ColumnsForm:
    initial = {
        "seconds": round(pace.case_time(at=at).seconds or Columns.seconds),
        "platform": row.platform_id,
        **{name: row.mapping[name] for name in ("seconds", "is_whole") if row.mapping.get("actions")},
    }
    if "begin" in request.POST:
        return ColumnsForm(request.POST, row=row)
    if request.method == "POST":  # other columns were chosen: their values are shown before anything begins
        row.mapping = {"names": {part: request.POST.get(f"column-{part}", "") for part in past_file.FIELDS}}
        initial |= {name: request.POST.get(name) for name in ("seconds", "platform", "is_whole")}
    return ColumnsForm(initial=initial, row=row)


def _options(report: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, list[tuple[str, str]]]]]:
    """Return the names of what is compared, and the rows of the table: words, and a cell for each name."""
    options = report["options"]
    names = [_("As live now"), _("After learning from the older posts")][: len(options)]
    told = [
        (_("Let through"), "allowed"),
        (_("To people"), "people"),
        (_("Removed"), "removed"),
        (_("Spam among the removed posts"), "precision"),
        (_("Share of the spam that would be let through"), "missed"),
        (_("Share of the other posts that would be removed"), "wrong"),
    ]
    rows = [(words, [_share(one[name]) for one in options]) for words, name in told]
    rows.append((_("Review from"), [quantities.tenths(one["review_from"]) for one in options]))
    rows.append((_("Removal from"), [quantities.tenths(one["remove_from"]) for one in options]))
    rows.append((_("Hours of work by hand"), [quantities.count(report["hours_by_hand"])] * len(options)))
    rows.append((_("Hours of work at first"), [quantities.count(one["hours_at_first"]) for one in options]))
    rows.append((_("Hours of work later"), [quantities.count(one["hours_later"]) for one in options]))
    return names, [(words, list(zip(names, cells, strict=True))) for words, cells in rows]


def _period(report: Mapping[str, Any]) -> dict[str, datetime]:
    return {name: datetime.fromisoformat(report[f"{name}_at"]) for name in ("first", "last")}


def _languages(report: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    kinds = ("people", "precision", "missed")
    return [
        (one["name"], quantities.count(one["people"][1]), [_share(one[kind]) for kind in kinds])
        for one in report["languages"]
    ]


def _share(counted: list[int]) -> str:
    """Return a share with its interval and its numbers."""
    part, whole = counted
    if not whole:
        return _("none")
    low, high = outcome_counts.interval(part, of=whole)
    return f"{shares.counted(part, whole)}, {shares.interval(low, high)}"


def _surprises(row: HistoryImport, *, most: int | None = None) -> list[Any]:
    """Return the lines on which filter and moderators differ, the most certain first."""
    lines: list[Any] = list(row.past_lines.filter(surprise__gte=0.5).order_by("-surprise", "line")[:most])
    for line in lines:
        line.text = line.given.get(row.mapping["names"]["text"], "")
        action = line.given.get(row.mapping["names"]["action"], "").strip()
        line.said = past_file.MEANINGS[row.mapping["actions"].get(action, "unknown")]
        line.way = quantities.route(line.route)
    return lines
