"""Signing in with a second factor, and one's own factors: allauth's views behind our guards, with our pages.

Guesses of codes meet the delays of wrong passwords, by a name of their own.
"""

from functools import partial, wraps
from typing import Any

from allauth.core import context
from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, LoginWebAuthnView, RemoveWebAuthnView
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.operations.accounts import second_factors, sessions
from moderation.operations.infrastructure import vault
from moderation.web import access
from moderation.web.accounts import account, lockout

_PAGE = {"section": "account"}
_guard = access.signed_in_before_second_factor


class Factors(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """How allauth keeps and names factors."""

    def encrypt(self, text: str) -> str:
        """Encrypt the secret of an app or of recovery codes, as all our secrets are."""
        return vault.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return what was encrypted."""
        return vault.decrypt(encrypted_text)

    def get_totp_issuer(self) -> str:
        """Return what the app shows above the code."""
        return f"Spamdesk {context.request.get_host()}"


class CodeForm(AuthenticateForm):  # type: ignore[misc]  # as above
    """The code of an app or a recovery code, asked for after the password."""

    def clean_code(self) -> str:
        """Check the code, unless too many wrong ones came before it."""
        name = lockout.code_name(self.user)
        if seconds := lockout.wait_seconds(context.request, username=name):
            raise ValidationError(
                _("Too many wrong codes: try again in %(seconds)s s.") % {"seconds": seconds}
            )
        try:
            code = str(super().clean_code())
            if self.authenticator.type == Authenticator.Type.TOTP:
                second_factors.use_up(code, factor=self.authenticator)
        except (ValidationError, second_factors.CodeUsed) as refusal:
            lockout.count_failure(context.request, username=name)
            raise ValidationError(_("This code is wrong, or was used before.")) from refusal
        return code


def _own(view: access.View) -> access.View:
    """Show a view to who has a password; the others change their factors at their provider."""

    @wraps(view)
    def shown(request: access.DeskRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            if request.user.has_usable_password():
                return view(request, *args, **kwargs)
        except vault.MissingKey as refusal:
            messages.warning(request, str(refusal))
        return redirect("mfa_index")

    return shown


asked = AuthenticateView.as_view(template_name="accounts/second_factor_asked.html")
"""The step after the password."""

password_again = _guard.get_or_post(
    _own(account.PasswordAgain.as_view(template_name="accounts/password_again.html", extra_context=_PAGE))
)
"""Who changes a factor types the password, unless that was minutes ago."""

add_app = _guard.get_or_post(
    _own(ActivateTOTPView.as_view(template_name="accounts/second_factor_app.html", extra_context=_PAGE))
)
remove_app = _guard.post(_own(DeactivateTOTPView.as_view()))
codes = _guard.get(
    _own(ViewRecoveryCodesView.as_view(template_name="accounts/recovery_codes.html", extra_context=_PAGE))
)
add_passkey = _guard.get_or_post(
    _own(AddWebAuthnView.as_view(template_name="accounts/passkey.html", extra_context=_PAGE))
)
remove_passkey = _guard.post(_own(RemoveWebAuthnView.as_view(success_url=reverse_lazy("mfa_index"))))
passkey = lockout.begun_slowly(LoginWebAuthnView.as_view())
"""Signs in by a passkey alone, which proves both what somebody has and who they are."""

new_codes = _guard.post(_own(GenerateRecoveryCodesView.as_view()))


@_guard.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show one's own factors."""
    mine = list(Authenticator.objects.filter(user=request.user).order_by("pk"))
    factors = {factor.type: factor for factor in mine}
    codes = factors.get(Authenticator.Type.RECOVERY_CODES)
    shown = _PAGE | {
        "at": timezone.now(),
        "passkeys": [factor for factor in mine if factor.type == Authenticator.Type.WEBAUTHN],
        "app": factors.get(Authenticator.Type.TOTP),
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
        "has_factor": bool(factors),
        "is_required": access.lacks_second_factor(request, request.user),
    }
    return render(request, "accounts/second_factor.html", shown)


def _noted(action: str, user: User, authenticator: Any, **_more: Any) -> None:
    second_factors.note(action, user=user, factor=authenticator, at=timezone.now())


def _added(request: HttpRequest, user: User, authenticator: Any, **_more: Any) -> None:
    """Record a new factor; sessions that began without it end."""
    at = timezone.now()
    second_factors.note("second_factor_added", user=user, factor=authenticator, at=at)
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        sessions.end_others(user=user, session_key=request.session.session_key or "", at=at)


def _used(user: User, authenticator: Any, **_more: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        second_factors.note("recovery_code_used", user=user, factor=authenticator, at=timezone.now())


signals.authenticator_added.connect(_added)
signals.authenticator_removed.connect(partial(_noted, "second_factor_removed"), weak=False)
signals.authenticator_reset.connect(partial(_noted, "recovery_codes_renewed"), weak=False)
signals.authenticator_used.connect(_used)
