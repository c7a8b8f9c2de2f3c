"""Bans, for leads: what is banned, what a ban would have hit, imposing and lifting."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.models import Ban
from moderation.models.bans import BanKind
from moderation.operations import ban as operations
from moderation.queries import bans
from moderation.queries.bans import Target
from moderation.web import access

LENGTHS = (
    ("7", gettext_lazy("7 days")),
    ("30", gettext_lazy("30 days")),
    ("90", gettext_lazy("90 days")),
    ("365", gettext_lazy("1 year")),
    ("", gettext_lazy("until lifted")),
)
REQUEUES = (
    ("", gettext_lazy("nothing")),
    ("waiting", gettext_lazy("those in the queue")),
    ("recent", gettext_lazy("those of the last 7 days that nobody judged")),
)
KINDS = (
    ("domain", gettext_lazy("Domain in links")),
    ("host", gettext_lazy("Host in links")),
    ("address", gettext_lazy("Address of the sender")),
)


class TargetForm(forms.Form):
    """What somebody wants to ban."""

    kind = forms.ChoiceField(choices=KINDS)
    value = forms.CharField(max_length=255, strip=True)


class BanForm(forms.Form):
    """Why something is banned, for how long, and which posts are scored again."""

    reason = forms.CharField(max_length=500, strip=True)
    days = forms.ChoiceField(choices=LENGTHS, required=False)
    requeue = forms.ChoiceField(choices=REQUEUES, required=False)

    def expires_at(self, *, at: datetime) -> datetime | None:
        """Return when the ban ends, None if only by hand. Call after `is_valid`."""
        days = self.cleaned_data["days"]
        return at + timedelta(days=int(days)) if days else None


@require_safe
@access.leads
def page(request: access.DeskRequest) -> HttpResponse:
    """List the bans in force, or those that ended."""
    at = timezone.now()
    kind, is_ended = request.GET.get("kind", ""), request.GET.get("ended") == "1"
    context = {
        "section": "bans",
        "at": at,
        "bans": bans.listed(kind=kind, is_live=not is_ended, at=at),
        "kind": kind if kind in BanKind.values else "",
        "is_ended": is_ended,
        "kinds": KINDS,
    }
    return render(request, "bans.html#rows" if request.htmx else "bans.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@access.leads
def new(request: access.DeskRequest) -> HttpResponse:
    """Show what a ban would have hit; a POST imposes it."""
    asked = TargetForm(request.POST if request.method == "POST" else request.GET)
    try:
        if not asked.is_valid():
            raise bans.NotBannable(_("Say what to ban."))  # noqa: TRY301 - one way out for both
        target = bans.target(kind=asked.cleaned_data["kind"], value=asked.cleaned_data["value"])
    except bans.NotBannable as refusal:
        messages.warning(request, str(refusal))
        return redirect("bans")
    form = BanForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _impose(request, target, form)
    return _dry_run(request, target, form)


@require_POST
@access.leads
def lift(request: access.DeskRequest, ban_id: int) -> HttpResponse:
    """Lift a ban; where asked, score again what it removed."""
    is_requeued = request.POST.get("requeue") == "1"
    try:
        ban = Ban.objects.select_related("domain").get(pk=ban_id)
        touched = operations.lift(
            ban_id=ban_id, actor=request.user, at=timezone.now(), is_requeued=is_requeued
        )
    except Ban.DoesNotExist as refusal:
        raise Http404 from refusal
    except operations.NotBanned as refusal:
        messages.warning(request, str(refusal))
        return redirect("bans")
    messages.success(request, _("The ban of %(value)s is lifted.") % {"value": ban.value} + _again(touched))
    return _to_target(bans.target_of(ban))


def _impose(request: access.DeskRequest, target: Target, form: BanForm) -> HttpResponse:
    at = timezone.now()
    try:
        operations.impose(
            kind=target.kind,
            value=target.value,
            reason=form.cleaned_data["reason"],
            expires_at=form.expires_at(at=at),
            requeue=operations.Requeue(form.cleaned_data["requeue"]),
            actor=request.user,
            at=at,
        )
    except operations.AlreadyBanned:
        messages.warning(request, _("%(value)s is banned already.") % {"value": target.value})
    else:
        messages.success(
            request, _("%(value)s is banned: such posts are spam from now on.") % {"value": target.value}
        )
    return _to_target(target)


def _again(touched: int) -> str:
    if not touched:
        return ""
    return " " + ngettext(
        "%(count)d post that it removed is scored again.",
        "%(count)d posts that it removed are scored again.",
        touched,
    ) % {"count": touched}


def _dry_run(request: access.DeskRequest, target: Target, form: BanForm) -> HttpResponse:
    effect = bans.effect(wanted=target, at=timezone.now())
    context = {
        "section": "bans",
        "at": timezone.now(),
        "target": target,
        "effect": effect,
        "figures": effect.figures,
        "form": form,
    }
    return render(request, "ban.html", context, status=422 if form.errors else 200)


def _to_target(target: Target) -> HttpResponse:
    if target.kind == BanKind.ADDRESS:
        return redirect("address", address=target.value)
    return redirect("domain", name=target.domain)
