"""A person's own settings: how the desk looks and behaves, which keys it listens to, and their own pace."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.operations.accounts import preferences
from moderation.queries.cases import pace as cases_pace
from moderation.web import access
from moderation.web.accounts import shortcuts
from moderation.web.accounts.preferences_form import ComfortForm

_YEAR_SECONDS = 365 * 86_400


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def page(request: access.DeskRequest) -> HttpResponse:
    """Show and change a person's settings; light or dark is kept in a cookie, since screens differ."""
    if request.method != "POST":
        return _page(request, ComfortForm.of(request.user.comfort, theme=request.COOKIES.get("theme", "")))
    form = ComfortForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    preferences.keep(user=request.user, comfort=form.comfort(keys=request.user.comfort.keys))
    messages.success(request, _("Saved."))
    response = redirect("comfort")
    theme, is_secure = form.cleaned_data["theme"], request.is_secure()
    response.set_cookie("theme", theme, max_age=_YEAR_SECONDS, samesite="Lax", secure=is_secure)
    return response


@require_POST
@access.signed_in
def change_keys(request: access.DeskRequest) -> HttpResponse:
    """Change which key does what; `standard` puts all of them back."""
    wanted = {action.name: action.key for action in shortcuts.ACTIONS}
    if "standard" not in request.POST:
        wanted = {name: request.POST.get(name, key).strip().lower() for name, key in wanted.items()}
    if problem := shortcuts.problem(wanted):
        form = ComfortForm.of(request.user.comfort, theme=request.COOKIES.get("theme", ""))
        return _page(request, form, wanted=wanted, problem=problem, status=422)
    chosen = replace(request.user.comfort, keys=shortcuts.changed(wanted))
    preferences.keep(user=request.user, comfort=chosen)
    messages.success(request, _("Keys saved."))
    return redirect("comfort")


@require_safe
@access.deciders
def pace(request: access.DeskRequest) -> HttpResponse:
    """Show a person's own pace."""
    at = timezone.now()
    found = cases_pace.own(person=request.user, at=at)
    return render(request, "accounts/pace.html", {"section": "account", "pace": found, "at": at})


def _page(
    request: access.DeskRequest,
    form: ComfortForm,
    *,
    wanted: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = wanted or shortcuts.of(request.user.comfort)
    rows = [(action, shown[action.name]) for action in shortcuts.ACTIONS]
    context = {"section": "account", "form": form, "rows": rows, "problem": problem}
    return render(request, "accounts/preferences.html", context, status=status)
