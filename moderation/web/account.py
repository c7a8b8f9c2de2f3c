"""Signing in and out, the first page, and a person's own account."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from moderation.models import User
from moderation.operations import seed, users
from moderation.web import access


class SignInForm(AuthenticationForm):
    """Name and password; the demonstration's password opens nothing in production."""

    def confirm_login_allowed(self, user: User) -> None:
        """Refuse as if the password were wrong."""
        super().confirm_login_allowed(user)
        if settings.IS_PRODUCTION and self.cleaned_data["password"] == seed.PASSWORD:
            raise self.get_invalid_login_error()


class SignIn(LoginView):
    """The sign-in page; django-axes counts the failures."""

    template_name = "sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Signing out."""


@require_safe
@access.signed_in
def home(request: access.DeskRequest) -> HttpResponse:
    """Lead everyone to their own first page."""
    return redirect("queue" if request.user.may_decide else "exports")


@require_safe
@access.newcomers
def account(request: access.DeskRequest) -> HttpResponse:
    """Show a person's account."""
    return _page(request)


@require_POST
@sensitive_post_parameters()
@access.newcomers
def password(request: access.DeskRequest) -> HttpResponse:
    """Choose a new password; this session goes on, every other one ends."""
    form = PasswordChangeForm(user=request.user, data=request.POST)
    if not form.is_valid():
        return _page(request, password_form=form, status=422)
    users.choose_password(user=request.user, password=form.cleaned_data["new_password1"], at=timezone.now())
    update_session_auth_hash(request, request.user)
    messages.success(request, _("Your password is changed. Every other session of yours has ended."))
    return redirect("account")


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
    return render(request, "account.html", context, status=status)
