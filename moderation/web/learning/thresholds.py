"""Thresholds: what others would do, with the curve of precision by where removal begins; proposing them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models.learning import ProposalKind
from moderation.operations.learning import threshold_changes
from moderation.queries.learning import dry_run, models, proposal_pages, simulation, traffic
from moderation.queries.learning.simulation import Point
from moderation.queries.learning.traffic import Subject
from moderation.queries.quality import stored, undecided
from moderation.web import access
from moderation.web.learning import threshold_words
from moderation.web.learning.threshold_form import PERIODS, ProposalForm, ThresholdForm
from moderation.web.quality import plan
from moderation.web.quantities import tenths

_WIDTH, _HEIGHT = 600, 200


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show what the chosen thresholds would do; htmx asks again for the inner part."""
    about = traffic.subject(scorer.release(), slug=request.GET.get("platform", ""))
    form = ThresholdForm(request.GET, about=about)
    return _answer(request, about, form)


@access.exporters.post
def propose(request: access.DeskRequest) -> HttpResponse:
    """Propose the thresholds that the form names."""
    about = traffic.subject(scorer.release(), slug=request.POST.get("platform", ""))
    form = ProposalForm(request.POST, about=about)
    if not form.is_valid():
        return _answer(request, about, form)
    with access.refusals_told(request, done=_("Proposed. It takes effect when a second person confirms it.")):
        threshold_changes.propose(
            about=about,
            wanted=form.thresholds(),
            days=form.days_back(),
            costs=form.costs(),
            reason=form.cleaned_data["reason"],
            actor=request.user,
            at=timezone.now(),
        )
    return _back(about.slug)


def _back(slug: str) -> HttpResponse:
    answer = redirect("thresholds")
    if slug:
        answer["Location"] += "?" + urlencode({"platform": slug})
    return answer


def _answer(request: access.DeskRequest, about: Subject, form: ThresholdForm) -> HttpResponse:
    at = timezone.now()
    context: dict[str, object] = {
        "section": "models",
        "at": at,
        "about": about,
        "platforms": sorted(about.release.platforms),
        "form": form,
        "periods": PERIODS,
        "now": about.thresholds,
        "live_words": threshold_words.thresholds(about.thresholds),
        "let_through": stored.let_through(platform_id=about.platform.pk if about.platform else None),
        **form.fields_shown(),
    }
    is_valid = form.is_valid()
    if is_valid:
        context |= _figures(request, about, form, at=at)
    template = "learning/thresholds.html"
    if request.htmx and is_valid:
        return render(request, f"{template}#figures", context)
    kind, live = ProposalKind.THRESHOLDS, scorer.newest()
    context |= {
        "live": live,
        "before": models.before(live),
        "open_proposals": proposal_pages.open_ones(kind=kind, at=at),
        "answered": proposal_pages.latest_answered(kind=kind, at=at),
    }
    return render(request, template, context, status=200 if is_valid else 422)


def _figures(
    request: access.DeskRequest, about: Subject, form: ThresholdForm, *, at: datetime
) -> dict[str, object]:
    wanted = form.thresholds()
    found = simulation.simulate(
        about,
        wanted=wanted,
        days=form.days_back(),
        costs=form.costs(),
        precision=form.promised(),
        at=at,
    )
    cursor = request.GET.get("cursor", "")
    changed = dry_run.posts(about, wanted=wanted, at=at, cursor=cursor)
    open_cases = undecided.undecided(
        since=at - timedelta(days=form.days_back()), until=at, platform=about.platform
    )
    told, unknown = threshold_words.verdict(found)
    undecided_posts = open_cases.drawn + open_cases.review
    kinds = [(_("Live"), found.live), (_("Chosen"), found.chosen)]
    if found.cheapest:
        kinds.append((_("Cheapest"), found.cheapest))
    return {
        "wanted": wanted,
        "verdict": told if found.basis.counted.posts else "",
        "unknown": unknown,
        "days": form.days_back(),
        "columns": [_("Measure"), *(words for words, _point in kinds)],
        "effects": threshold_words.effects([point for _words, point in kinds]),
        "basis_words": threshold_words.basis(found.basis, time=found.time, hours=simulation.HOURS_OF_REVIEW),
        "promise_words": threshold_words.promise(found.promised_from, precision=form.promised()),
        "undecided": plan.waiting(undecided_posts) if undecided_posts else "",
        "chart": _chart(found.curve, chosen=wanted.remove_from),
        "curve_columns": (
            _("Removal from"),
            _("Precision"),
            _("False positives a day"),
            _("Cases a day"),
        ),
        "curve": threshold_words.curve(found.curve),
        "dry_run": found.dry_run,
        "changes": [threshold_words.change(one) for one in found.dry_run.changes],
        "changed": changed,
        "changed_rows": [(row, threshold_words.move(row.before, row.after)) for row in changed.rows],
        "is_later": bool(cursor),
        "query": _query(request),
        "proposed": form.asked(),
    }


def _query(request: access.DeskRequest) -> str:
    return urlencode([(name, value) for name, value in request.GET.items() if name != "cursor" and value])


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A line of values, the closed path of their intervals, and the place of the chosen threshold.

    The ground is the precision `base`, the top 1. `points` are places with their words.
    """

    line: str
    band: str
    points: Sequence[tuple[float, float, str]]
    middle: float
    chosen: float
    base: float
    width: int
    height: int


def _chart(curve: Sequence[Point], *, chosen: float) -> Chart | None:
    """Draw the points that have enough labels; None with fewer than two of them."""
    shown = [point for point in curve if point.precision.value is not None]
    if len(shown) < 2:
        return None
    places = [_x(point.thresholds.remove_from) for point in shown]
    base = math.floor(10 * min(point.precision.low for point in shown)) / 10
    values = [_y(point.precision.value or 0.0, base=base) for point in shown]
    upper = [f"{x} {_y(point.precision.high, base=base)}" for x, point in zip(places, shown, strict=True)]
    lower = [f"{x} {_y(point.precision.low, base=base)}" for x, point in zip(places, shown, strict=True)]
    return Chart(
        line="M" + "L".join(f"{x} {y}" for x, y in zip(places, values, strict=True)),
        band="M" + "L".join([*upper, *reversed(lower)]) + "Z",
        points=[
            (x, y, f"{tenths(point.thresholds.remove_from)}: {threshold_words.share(point.precision)}")
            for x, y, point in zip(places, values, shown, strict=True)
        ],
        middle=(1 + base) / 2,
        chosen=_x(chosen),
        base=base,
        width=_WIDTH,
        height=_HEIGHT,
    )


def _x(probability: float) -> float:
    return round(_WIDTH * max(0.0, (probability - 0.5) / 0.5), 1)


def _y(share: float, *, base: float) -> float:
    return round(_HEIGHT * (1 - share) / max(1 - base, 0.1), 1)
