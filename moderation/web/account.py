"""Signing in and out, the first page, and a person's own settings."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from moderation.web import access
from moderation.web.forms import ComfortForm

_YEAR_SECONDS = 365 * 86_400


class SignIn(LoginView):
    """The sign-in page; django-axes counts the failures."""

    template_name = "sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Signing out."""


@require_safe
@access.signed_in
def home(request: access.DeskRequest) -> HttpResponse:
    """Lead everyone to their own first page."""
    return redirect("queue" if request.user.may_decide else "exports")


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def account(request: access.DeskRequest) -> HttpResponse:
    """Show and change how the desk behaves in this browser, kept in cookies: comfort differs by screen."""
    if request.method != "POST":
        return render(request, "account.html", {"section": "account", "form": ComfortForm(request.COOKIES)})
    form = ComfortForm(request.POST)
    if not form.is_valid():
        return render(request, "account.html", {"section": "account", "form": form}, status=422)
    messages.success(request, "Saved for this browser.")
    response = redirect("account")
    for name, value in form.cleaned_data.items():
        response.set_cookie(name, value, max_age=_YEAR_SECONDS, samesite="Lax")
    return response
