"""The Models page: the live release, releases before it, training runs with their candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation import scorer
from moderation.models import Platform, ReleaseProposal, ShadowRun, TrainingRun
from moderation.models.learning import ProposalKind
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.operations.infrastructure import probe
from moderation.operations.learning import training_runs
from moderation.operations.releases import store
from moderation.queries.labels import label_balance
from moderation.queries.learning import models, proposal_pages, shadow_pages
from moderation.web import access, quantities

MEASURES = {
    "pr_auc": gettext_lazy("PR-AUC"),
    "recall_at_1_fpr": gettext_lazy("Recall at 1% false alarms"),
    "calibration_error": gettext_lazy("Calibration error"),
}
"""A measure without words stands as its name."""

PARTS = {
    "complete": gettext_lazy("All fields"),
    "with random gaps": gettext_lazy("Fields missing at random"),
    "bare (text and links only)": gettext_lazy("Text and links only"),
    "without content": gettext_lazy("Without the content model"),
}
"""Test data as `training` names it in a manifest; a part without words stands as its name."""

_VERDICTS = {
    "refused": gettext_lazy("not passed"),
    "too_little_evidence": gettext_lazy("too little evidence"),
    "nothing_to_promote": gettext_lazy("nothing to promote"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A training run with its steps, and its candidate's figures, shadow runs and open proposal."""

    run: TrainingRun
    steps: list[tuple[str, str]]
    compared: list[tuple[str | Promise, models.Compared]]
    failed: list[tuple[str, str]]
    verdict: str | Promise
    proposal: ReleaseProposal | None
    shadow_runs: list[ShadowRun]


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show what is live, what was, and the training runs."""
    at, live = timezone.now(), scorer.newest()
    promotions = models.promotions()
    manifest, runs = _manifest(live), models.runs()
    since = next((one.at for one in promotions if one.release_id == live), None)
    releases, kept = models.releases(), store.ids()
    past = models.were_live([one.pk for one in releases])
    made = models.made(releases)
    context = {
        "section": "models",
        "at": at,
        "live": live,
        "live_promotion": promotions[0] if promotions else None,
        "manifest": manifest,
        "served_by": next((one.served_by for one in probe.ask([probe.Part.TRITON])), ""),
        "training": training(manifest),
        "tested_columns": (_("Posts"), _("Number"), _("Spam"), _("PR-AUC"), _("Precision of removal")),
        "tested": [(PARTS.get(one.name, one.name), _cells(one)) for one in models.tested(manifest)],
        "labels": models.labels_since(since),
        "since": since,
        "before": models.before(live),
        "promotions": promotions,
        "releases": [
            (one, one.pk in kept, one.pk in past, training(one.manifest), made.get(one.pk))
            for one in releases
        ],
        "runs": _shown(runs, at=at),
        "is_training": any(row.is_open for row in runs),
        "labelled": label_balance.best_labelled(),
        "least": label_balance.LEAST_OF_EACH,
        "last_run": next((row for row in runs if row.state == TrainingState.READY), None),
        "in_shadow": shadow_pages.open_run(),
        "platforms": Platform.objects.order_by("name", "pk"),
    }
    return render(request, "learning/models.html", context)


@access.exporters.get
def run(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Show one training run, for the page that polls it."""
    row = get_object_or_404(TrainingRun.objects.select_related("requested_by", "platform"), pk=run_id)
    if not request.htmx:
        return redirect("models")
    at = timezone.now()
    [shown] = _shown([row], at=at)
    context = {"shown": shown, "at": at, "live": scorer.newest(), "in_shadow": shadow_pages.open_run()}
    return render(request, "learning/models.html#run", context)


@access.exporters.post
def start(request: access.DeskRequest) -> HttpResponse:
    """Start a training run."""
    slug = request.POST.get("platform", "")
    platform = get_object_or_404(Platform, slug=slug) if slug else None
    with access.refusals_told(request):
        training_runs.request(requested_by=request.user, platform=platform, at=timezone.now())
    return redirect("models")


@access.exporters.post
def cancel(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Cancel a training run."""
    with access.refusals_told(request):
        training_runs.cancel(run_id=run_id, actor=request.user, at=timezone.now())
    return redirect("models")


def _cells(part: models.TestedPart) -> list[str]:
    few = _("too few")
    precision = few if part.precision is None else quantities.percent(part.precision)
    return [
        quantities.count(part.rows),
        quantities.count(part.spam),
        few if part.pr_auc is None else formats.number_format(part.pr_auc, 3),
        f"{precision} ({quantities.count(part.removed)})",
    ]


def _manifest(live: str) -> dict[str, Any]:
    try:
        return dict(scorer.kept(live).manifest)
    except scorer.UNUSABLE:
        return {}


def training(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what a release learned from: simulated posts, decisions by platform, texts."""
    training = manifest.get("training") or {}
    fitted = training.get("fitted_on") or {}
    heads = manifest.get("heads") or {}
    return {
        "is_simulated": bool(training.get("simulated")),
        "simulated": fitted.get("simulated"),
        "decided": sum((fitted.get("decided") or {}).values()),
        "texts": [str(one.get("source") or one.get("file")) for one in training.get("texts") or ()],
        "heads": sorted(heads),
    }


def _shown(rows: Sequence[TrainingRun], *, at: datetime) -> list[_Shown]:
    opened = proposal_pages.open_ones(kind=ProposalKind.PROMOTION, at=at)
    proposed = {proposal.candidate: proposal for proposal in opened}
    compared = shadow_pages.of_candidates([row.candidate for row in rows])
    return [
        _Shown(
            run=row,
            steps=_steps(row),
            compared=[(MEASURES.get(one.metric, one.metric), one) for one in models.compared(row.report)],
            failed=[(question, answer) for question, passed, answer in row.findings if not passed],
            verdict=_VERDICTS.get(models.verdict(row), ""),
            proposal=proposed.get(row.candidate),
            shadow_runs=compared[row.candidate],
        )
        for row in rows
    ]


def _steps(row: TrainingRun) -> list[tuple[str, str]]:
    """Return each step's words and its state: done, now or next."""
    names = list(TrainingStep)
    place = names.index(TrainingStep(row.step)) if row.step else -1
    if row.state == "ready":
        place = len(names)
    return [
        (str(name.label), "done" if number < place else "now" if number == place else "next")
        for number, name in enumerate(names)
    ]
