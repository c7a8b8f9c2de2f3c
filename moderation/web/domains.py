"""The domains page, for leads: history, ban, lift."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from moderation.models import Ban, Domain
from moderation.operations import ban as operations
from moderation.queries import bans, domains
from moderation.web import access
from moderation.web.forms import BanForm


@require_safe
@access.leads
def page(request: access.DeskRequest) -> HttpResponse:
    """List domains: the most posted ones, those that match a search, or the banned ones."""
    at = timezone.now()
    text, is_banned = request.GET.get("q", "").strip()[:255], request.GET.get("banned") == "1"
    context = {
        "section": "domains",
        "at": at,
        "text": text,
        "is_banned": is_banned,
        "histories": domains.listed(text=text, is_banned=is_banned, at=at),
    }
    return render(request, "domains.html#rows" if request.htmx else "domains.html", context)


@require_safe
@access.leads
def domain(request: access.DeskRequest, name: str) -> HttpResponse:
    """Show one domain, what a ban would have hit, and the bans so far."""
    return _page(request, name, form=BanForm(), status=200)


@require_POST
@access.leads
def ban(request: access.DeskRequest, name: str) -> HttpResponse:
    """Ban the domain."""
    form = BanForm(request.POST)
    if not form.is_valid():
        return _page(request, name, form=form, status=422)
    at = timezone.now()
    try:
        operations.impose(
            value=name,
            reason=form.cleaned_data["reason"],
            expires_at=form.expires_at(at=at),
            actor=request.user,
            at=at,
        )
    except (operations.NotBannable, operations.AlreadyBanned) as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, f"{name} is banned. Posts that link there are removed from now on.")
    return redirect("domain", name=name)


@require_POST
@access.leads
def lift(request: access.DeskRequest, ban_id: int) -> HttpResponse:
    """Lift a ban."""
    try:
        name = Ban.objects.values_list("value", flat=True).get(pk=ban_id)
        operations.lift(ban_id=ban_id, actor=request.user, at=timezone.now())
    except Ban.DoesNotExist as refusal:
        raise Http404 from refusal
    except operations.NotBanned as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, f"The ban of {name} is lifted.")
    return redirect("domain", name=name)


def _page(request: access.DeskRequest, name: str, *, form: BanForm, status: int) -> HttpResponse:
    at = timezone.now()
    try:
        history = domains.history(name=name, at=at)
    except Domain.DoesNotExist as refusal:
        raise Http404 from refusal
    context = {
        "section": "domains",
        "at": at,
        "history": history,
        "bans": bans.of_domain(name=name),
        "form": form,
    }
    return render(request, "domain.html", context, status=status)
