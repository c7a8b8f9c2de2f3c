"""Signing in and out, the first page, and a user's own account."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.models import User
from moderation.operations.accounts import demo, devices, users
from moderation.web import access
from moderation.web.accounts import lockout


class SignInForm(AuthenticationForm):
    """Name and password; the demonstration's password opens nothing in production."""

    def confirm_login_allowed(self, user: User) -> None:
        """Refuse the demonstration's accounts in production, as if the password were wrong."""
        super().confirm_login_allowed(user)
        if settings.IS_PRODUCTION and self.cleaned_data["password"] == demo.PASSWORD:
            raise self.get_invalid_login_error()


class SignIn(LoginView):
    """The sign-in page; django-axes counts failures."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, and remember this browser as a known device."""
        response = super().form_valid(form)
        lockout.remember_device(response, user=form.get_user())
        return response


class SignOut(LogoutView):
    """Signing out."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def device(request: HttpRequest, token: str) -> HttpResponse:
    """Make a browser known by an operator's link; only the POST uses the link up."""
    if request.method != "POST":
        return render(request, "accounts/device.html")
    try:
        user = devices.redeem(token, at=timezone.now())
    except devices.NoSuchLink:
        return render(request, "accounts/device.html", {"is_refused": True}, status=410)
    response = redirect("sign-in")
    lockout.remember_device(response, user=user)
    return response


@require_safe
@access.signed_in
def home(request: access.DeskRequest) -> HttpResponse:
    """Redirect to the first page of the user's role."""
    if request.user.may_lead:
        return redirect("today")
    return redirect("queue" if request.user.may_decide else "exports")


@require_safe
@access.signed_in
def moved(_request: access.DeskRequest, *, name: str) -> HttpResponse:
    """Redirect from a URL of the previous release to its new name."""
    return redirect(name, permanent=True)


@require_safe
@access.signed_in_before_password_change
def account(request: access.DeskRequest) -> HttpResponse:
    """Show the user's own account."""
    return _page(request)


@require_POST
@sensitive_post_parameters()
@access.signed_in_before_password_change
def password(request: access.DeskRequest) -> HttpResponse:
    """Choose a new password; all other sessions end."""
    form = PasswordChangeForm(user=request.user, data=request.POST)
    if not form.is_valid():
        return _page(request, password_form=form, status=422)
    users.choose_password(user=request.user, password=form.cleaned_data["new_password1"], at=timezone.now())
    update_session_auth_hash(request, request.user)
    messages.success(request, _("Password changed. You have been signed out everywhere else."))
    response = redirect("account")
    lockout.remember_device(response, user=request.user)
    return response


def _page(
    request: access.DeskRequest,
    *,
    password_form: PasswordChangeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "section": "account",
        "password_form": password_form or PasswordChangeForm(user=request.user),
    }
    return render(request, "accounts/account.html", context, status=status)
