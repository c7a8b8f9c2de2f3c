"""The panel beside a case: its author, domain or address, with notes and rules; the claim stays meanwhile."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from moderation.models import Case
from moderation.models.rules import RuleEffect
from moderation.operations import refusals, rules
from moderation.operations.cases import notes
from moderation.queries.cases import beside
from moderation.queries.cases.beside import Beside, Panel
from moderation.queries.rules import targets
from moderation.web import access, days
from moderation.web.cases import event_lanes
from moderation.web.forms import NoteForm
from moderation.web.rules.rules import RuleForm


@access.deciders.get
def page(request: access.DeskRequest, case_id: int, kind: str) -> HttpResponse:
    """Show an author, domain or address beside a case; without the page's script as a page of its own."""
    at = timezone.now()
    return _shown(request, _panel(request, case_id, kind, at=at), at=at)


@access.deciders.get_or_post
def rule(request: access.DeskRequest, case_id: int, kind: str) -> HttpResponse:
    """Show what a rule would have hit; a POST makes it in a lead's name, or proposes it to the leads."""
    at = timezone.now()
    panel = _panel(request, case_id, kind, at=at)
    form = RuleForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and panel.target:
        message = _made(request, panel.target, form, at=at)
        if message:
            return _done(request, case_id, panel, message, at=at)
    return _shown(request, panel, at=at, form=form)


@access.deciders.post
def note(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave a note on the author of a case's post."""
    at = timezone.now()
    panel = _panel(request, case_id, Beside.AUTHOR.value, at=at)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _shown(request, panel, at=at)
    try:
        notes.write_about(
            author_id=panel.case.post.author_id, by=request.user, text=form.cleaned_data["note"], at=at
        )
    except (refusals.Refusal, refusals.Erased) as refusal:
        return _done(request, case_id, panel, str(refusal), at=at)
    return _done(request, case_id, panel, _("Note added."), at=at)


def _panel(request: access.DeskRequest, case_id: int, kind: str, *, at: datetime) -> Panel:
    domain = request.POST.get("domain") or request.GET.get("domain", "")
    try:
        return beside.panel(case_id=case_id, kind=Beside(kind), viewer=request.user, at=at, domain=domain)
    except (Case.DoesNotExist, ValueError, beside.NothingThere) as refusal:
        raise Http404(str(refusal)) from refusal


def _made(request: access.DeskRequest, target: targets.Target, form: RuleForm, *, at: datetime) -> str:
    """Make or propose the rule; return a message, "" after an error."""
    fields: dict[str, Any] = {
        "effect": form.cleaned_data["effect"] or RuleEffect.BAN.value,
        "kind": target.kind,
        "value": target.value,
        "reason": form.cleaned_data["reason"],
        "expires_at": days.end(form.cleaned_data["days"], at=at),
    }
    try:
        if request.user.may_lead:
            requeue = rules.Requeue(form.cleaned_data["requeue"])
            imposed = rules.impose(**fields, requeue=requeue, actor=request.user, at=at)
            if not imposed.is_draft:
                return _("The rule is active.")
            return _("Proposed. It starts when another lead activates it.")
        rules.propose(**fields, actor=request.user, at=at)
    except refusals.NoEnd as refusal:
        form.add_error("days", str(refusal))
        return ""
    except (rules.AlreadyRuled, rules.AlreadyProposed) as refusal:
        return str(refusal)
    return _("Proposed. It starts when a lead activates it.")


def _shown(
    request: access.DeskRequest, panel: Panel, *, at: datetime, form: RuleForm | None = None, told: str = ""
) -> HttpResponse:
    is_open = form is not None and panel.target is not None and panel.rule is None
    tried = targets.dry_run(wanted=panel.target, at=at) if is_open and panel.target else None
    context = {
        "section": "queue",
        "at": at,
        "panel": panel,
        "case": panel.case,
        "target": panel.target,
        "rule_address": _address("case-beside-rule", panel),
        "tried": tried,
        "figures": tried.figures if tried else None,
        "form": form if is_open else None,
        "told": told,
    }
    return render(request, "cases/beside.html#panel" if request.htmx else "cases/beside.html", context)


def _done(
    request: access.DeskRequest, case_id: int, panel: Panel, told: str, *, at: datetime
) -> HttpResponse:
    """Show the panel again, with a message."""
    if not request.htmx:
        messages.info(request, told)
        return redirect(_address("case-beside", panel))
    domain = panel.subject if panel.kind is Beside.DOMAIN else ""
    fresh = beside.panel(case_id=case_id, kind=panel.kind, viewer=request.user, at=at, domain=domain)
    return _shown(request, fresh, at=at, told=told)


def _address(name: str, panel: Panel) -> str:
    address = reverse(name, args=[panel.case.pk, panel.kind.value])
    return f"{address}?{urlencode({'domain': panel.subject})}" if panel.kind is Beside.DOMAIN else address


@access.deciders.get
def around(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show the author's last posts, similar posts and lanes of time."""
    at = timezone.now()
    surroundings = beside.around(case_id=case_id, viewer=request.user, at=at)
    picture = event_lanes.picture(surroundings.lanes, at=at)
    return render(request, "cases/_around.html", {"found": surroundings, "picture": picture, "at": at})
