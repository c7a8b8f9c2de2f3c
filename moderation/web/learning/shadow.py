"""Shadow runs: start, stop, comparison with the live release, disagreements to decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import formats, timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import ShadowRun, TrainingRun
from moderation.models.shadow import LinkKind
from moderation.operations.learning import shadow
from moderation.queries.learning import shadow_pages
from moderation.queries.learning.shadow_figures import Mistake, Outcome
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.web import access, quantities
from moderation.web.quality import shares


class ShadowForm(forms.Form):
    """How many percent of posts a candidate scores."""

    percent = forms.FloatField(min_value=0.1, max_value=100)


class DisagreementsForm(forms.Form):
    """How many disagreements to draw."""

    posts = forms.IntegerField(min_value=1, max_value=shadow.MOST_POSTS)


@access.exporters.get
def page(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Show one run."""
    run = get_object_or_404(ShadowRun.objects.select_related("started_by", "stopped_by"), pk=run_id)
    cursor = request.GET.get("cursor", "")
    found = shadow_pages.disagreements(run, cursor=cursor)
    context = {
        "section": "models",
        "at": timezone.now(),
        "run": run,
        "progress": shadow_pages.progress_of([run])[run.pk],
        "backlog": shadow_pages.backlog(run),
        "figures": figures(run.figures),
        "estimated_at": parse_datetime(run.figures.get("estimated_at") or ""),
        "until": parse_datetime(run.figures.get("until") or ""),
        "most_posts": shadow.MOST_POSTS,
        "page": found,
        "rows": [(row, quantities.route(row.live_route), quantities.route(row.route)) for row in found.rows],
        "is_later": bool(cursor),
    }
    return render(request, "learning/shadow.html", context)


@access.exporters.post
def start(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Let the candidate of a training run score in shadow."""
    made = get_object_or_404(TrainingRun.objects.exclude(candidate=""), pk=run_id)
    form = ShadowForm(request.POST)
    try:
        with access.refusals_told(request):
            access.complete(form, _("Choose a share of 0.1 to 100 percent."))
            share = form.cleaned_data["percent"] / 100
            run = shadow.start(candidate=made.candidate, share=share, actor=request.user, at=timezone.now())
            return redirect("shadow-run", run.pk)
    except shadow.UNUSABLE as refusal:
        reason = str(refusal) or type(refusal).__name__
        messages.warning(request, _("This candidate cannot score here: %(reason)s") % {"reason": reason})
    return redirect("models")


@access.exporters.post
def stop(request: access.DeskRequest, run_id: int) -> HttpResponse:
    with access.refusals_told(request):
        shadow.stop(run_id=run_id, actor=request.user, at=timezone.now())
    return redirect("shadow-run", run_id)


@access.exporters.post
def draw(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Draw disagreements into the queue."""
    form = DisagreementsForm(request.POST)
    with access.refusals_told(request):
        access.complete(form, _("Enter 1 to %(posts)d posts.") % {"posts": shadow.MOST_POSTS})
        drawn = shadow.draw(run_id=run_id, **form.cleaned_data, actor=request.user, at=timezone.now())
        told = ngettext(
            "%(number)s post drawn and added to the queue.",
            "%(number)s posts drawn and added to the queue.",
            drawn,
        )
        messages.success(request, told % {"number": quantities.count(drawn)})
    return redirect("shadow-run", run_id)


_ROUTES = ("allow", "review", "remove")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """One row: where, what, the difference with its interval, and how much it rests on."""

    where: str
    what: str
    difference: str
    labels: str
    differing: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFigures:
    """A comparison as the page shows it; `agreement` is empty with too few posts."""

    agreement: str
    matrix_heads: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[str]]]
    rate_heads: Sequence[str]
    rates: Sequence[tuple[str, Sequence[str]]]
    worse: Sequence[ShownDifference]
    differences: Sequence[ShownDifference]


def figures(stored: Mapping[str, Any]) -> ShownFigures | None:
    """Return a stored comparison in words, None before the first."""
    if not stored:
        return None
    counted = {(live, candidate): posts for live, candidate, posts in stored["routes"]}
    total = sum(counted.values())
    agreed = sum(posts for (live, candidate), posts in counted.items() if live == candidate)
    rows = sorted(stored["differences"], key=_rank)
    shown = [_difference(row) for row in rows]
    return ShownFigures(
        agreement=shares.counted(agreed, total) if total else "",
        matrix_heads=(
            _("Live"),
            _("Candidate: let through"),
            _("Candidate: review"),
            _("Candidate: removed"),
        ),
        matrix=[
            (quantities.route(live), [quantities.count(counted.get((live, one), 0)) for one in _ROUTES])
            for live in _ROUTES
        ],
        rate_heads=(_("Measure"), _("Live"), _("Candidate")),
        rates=[_rate(row) for row in stored["rates"]],
        worse=[row for row in shown if row.outcome == Outcome.WORSE],
        differences=shown,
    )


def _rank(row: Mapping[str, Any]) -> tuple[int, bool, float, str, str]:
    """Order by what is certain first, all posts before slices, then by size."""
    order = [Outcome.WORSE, Outcome.BETTER, Outcome.OPEN, Outcome.NEAR]
    largest = max(abs(row["low"]), abs(row["high"]))
    return (order.index(row["outcome"]), row["dimension"] != "all", -largest, row["name"], row["mistake"])


def _difference(row: Mapping[str, Any]) -> ShownDifference:
    return ShownDifference(
        where=_where(row["dimension"], row["name"]),
        what=_what(row["mistake"]),
        difference=_per_thousand(row),
        labels=quantities.count(row["labels"]),
        differing=_("{part} of {whole}").format(
            part=quantities.count(row["differing"]), whole=quantities.count(row["posts"])
        ),
        outcome=Outcome(row["outcome"]),
    )


def _per_thousand(row: Mapping[str, Any]) -> str:
    """Return the interval, and with enough labels the value before it."""
    ends = _("{low} to {high}").format(low=_signed(row["low"]), high=_signed(row["high"]))
    if row["value"] is None or row["labels"] < FEWEST_SHOWN:
        return ends
    return f"{_signed(row['value'])} ({ends})"


def _signed(share: float) -> str:
    number = round(share * 1000, 1) or 0.0
    sign = "+" if number > 0 else "\N{MINUS SIGN}" if number < 0 else ""
    return f"{sign}{formats.number_format(abs(number), 1, use_l10n=True)}"


def _rate(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    names = {
        "precision": _("Precision"),
        "recall": _("Recall"),
        "missed": _("Spam among posts let through"),
    }

    said = (row["live"], row["candidate"])
    cells = [shares.estimate(one["value"], one["low"], one["high"], one["labels"]) for one in said]
    return names.get(row["name"], row["name"]), cells


def _where(dimension: str, name: str) -> str:
    if dimension == "all":
        return _("All posts")
    if dimension == "links":
        return str(LinkKind(name).label).capitalize()
    named = {"platform": _("Platform: {}"), "language": _("Language: {}")}[dimension]
    return named.format(name or _("unknown"))


def _what(mistake: str) -> str:
    return {
        Mistake.MISSED.value: _("spam let through"),
        Mistake.WRONG.value: _("honest posts removed"),
        Mistake.REMOVED.value: _("spam removed"),
    }[mistake]
