"""Who may open which page. Every view has a guard; a test walks all addresses with all roles."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django_htmx.middleware import HtmxDetails

from moderation.models import User


class DeskRequest(HttpRequest):
    """A request of somebody who signed in; only for type checking."""

    user: User
    htmx: HtmxDetails


View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """Let in everybody who has signed in."""
    return _guarded(view, lambda _: True)


def deciders(view: View) -> View:
    """Let in those who decide cases."""
    return _guarded(view, lambda user: user.may_decide)


def leads(view: View) -> View:
    """Let in leads and administrators."""
    return _guarded(view, lambda user: user.may_lead)


def admins(view: View) -> View:
    """Let in administrators."""
    return _guarded(view, lambda user: user.may_administer)


def newcomers(view: View) -> View:
    """Let in everybody, also those who must choose a password before they see anything else."""
    return _guarded(view, lambda _: True, is_for_newcomers=True)


def exporters(view: View) -> View:
    """Let in those who take labels out."""
    return _guarded(view, lambda user: user.may_export)


def _to_account(request: HttpRequest) -> HttpResponse:
    """Lead to the account; htmx would swap a plain redirect's page into the middle of the one in front."""
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": reverse("account")})
    return redirect("account")


def _guarded(view: View, is_allowed: Callable[[User], bool], *, is_for_newcomers: bool = False) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not isinstance(request.user, User):
            # A redirect would be followed by htmx and the sign-in page swapped into the middle of the case.
            if request.headers.get("HX-Request"):
                return HttpResponse(gettext("Your session has ended."), status=401, content_type="text/plain")
            return redirect_to_login(request.get_full_path())
        if request.user.must_change_password and not is_for_newcomers:
            return _to_account(request)
        if not is_allowed(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded
