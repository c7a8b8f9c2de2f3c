"""Signing in and out, the first page, and a user's own account."""

from typing import Any
from uuid import UUID

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.account.views import ReauthenticateView
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from moderation.models import User
from moderation.operations.accounts import demo, devices, sessions, users
from moderation.queries.accounts import user_sessions
from moderation.queries.accounts.users import has_second_factor
from moderation.web import access
from moderation.web.accounts import lockout
from moderation.web.middleware import session_use

_DOES = {
    "moderator": gettext_lazy("Decides posts"),
    "lead": gettext_lazy("Also sees Today, quality and rules"),
    "ml": gettext_lazy("Reads quality and models, exports labels"),
    "admin": gettext_lazy("Does all of it, manages platforms and users"),
}
"""What each account of a demonstration is there for."""


class SignInForm(AuthenticationForm):
    """Name and password; the demonstration's password opens nothing in production."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": gettext_lazy(
            "Name and password do not match. Forgot your password? Ask an administrator."
        )
    }

    def confirm_login_allowed(self, user: User) -> None:
        """Refuse the demonstration's accounts in production, as if the password were wrong."""
        super().confirm_login_allowed(user)
        if settings.IS_PRODUCTION and self.cleaned_data["password"] == demo.PASSWORD:
            raise self.get_invalid_login_error()


class PasswordForm(PasswordChangeForm):
    """A new password of one's own."""

    def clean_new_password1(self) -> str:
        """Refuse the present one, which an administrator may have made."""
        if (new := str(self.cleaned_data["new_password1"])) == self.cleaned_data.get("old_password"):
            raise ValidationError(_("This is the present password."))
        return new


class SignIn(LoginView):
    """The sign-in page; django-axes counts failures."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Add a demonstration's accounts; their buttons send the same form as a person who types."""
        accounts = [(user, _DOES[user.username]) for user in demo.accounts_offered()]
        return super().get_context_data(**context) | {
            "demo_accounts": accounts,
            "demo_password": demo.PASSWORD if accounts else "",
            "provider": next(iter(settings.OIDC.get("apps", [])), None),
            "has_passkeys": Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN).exists(),
        }

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, or first ask for a second factor."""
        user = form.get_user()
        # A password that was just typed need not be typed again before a second factor is added.
        record_authentication(self.request, user, method="password", reauthenticated=True)
        response: HttpResponse = perform_login(self.request, user, redirect_url=self.get_success_url())
        return response


class PasswordAgain(ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """Asks for the password again, after which the session has a new key."""

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the key, and write the session down under it."""
        request = self.request
        request.session.cycle_key()
        key, agent = _key_of(request), _agent_of(request)
        sessions.begin(user=request.user, session_key=key, user_agent=agent, at=timezone.now())
        response: HttpResponse = super().form_valid(form)
        return response


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """What allauth does when somebody has signed in, in whichever way."""

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in; the backend that checks passwords also reads the user at each request."""
        user.backend = settings.AUTHENTICATION_BACKENDS[-1]
        super().login(request, user)

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Begin the session, and remember this browser as a known device."""
        response: HttpResponse = super().post_login(request, user, **more)
        at = timezone.now()
        session_use.begin(request.session, at=at)
        # After signing in, which gives the session a new key (against session fixation).
        sessions.begin(user=user, session_key=_key_of(request), user_agent=_agent_of(request), at=at)
        lockout.remember_device(response, user=user)
        return response

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:  # noqa: ARG002
        """Send back to the sign-in page, which refuses a closed account's password in the same words."""
        messages.warning(request, SignInForm.error_messages["invalid_login"])
        return redirect("sign-in")


@require_http_methods(["GET", "HEAD", "POST"])
def device(request: HttpRequest, token: str) -> HttpResponse:
    """Make a browser known by an operator's link; only the POST uses the link up."""
    # Previews of links and scanners of mail follow every GET.
    if request.method != "POST":
        return render(request, "accounts/device.html")
    try:
        user = devices.redeem(token, at=timezone.now())
    except devices.NoSuchLink:
        return render(request, "accounts/device.html", {"is_refused": True}, status=410)
    response = redirect("sign-in")
    lockout.remember_device(response, user=user)
    return response


@access.signed_in.get
def home(request: access.DeskRequest) -> HttpResponse:
    """Redirect to the first page of the user's role."""
    if request.user.may_lead:
        return redirect("today")
    return redirect("queue" if request.user.may_decide else "models")


@access.signed_in_before_password_change.get
def account(request: access.DeskRequest) -> HttpResponse:
    """Show the user's own account."""
    return _page(request)


@sensitive_post_parameters()
@access.signed_in_before_password_change.post
def password(request: access.DeskRequest) -> HttpResponse:
    """Choose a new password; all other sessions end."""
    form = PasswordForm(user=request.user, data=request.POST)
    if not form.is_valid():
        return _page(request, password_form=form, status=422)
    at = timezone.now()
    users.choose_password(user=request.user, password=form.cleaned_data["new_password1"], at=at)
    update_session_auth_hash(request, request.user)  # changes the key of this session
    sessions.renew(user=request.user, session_key=_key_of(request), user_agent=_agent_of(request), at=at)
    messages.success(request, _("Password changed. You have been signed out everywhere else."))
    response = redirect("account")
    lockout.remember_device(response, user=request.user)
    return response


@access.signed_in.post
def end_session(request: access.DeskRequest, public_id: UUID) -> HttpResponse:
    """End one of one's own sessions."""
    sessions.end(user=request.user, public_id=public_id, at=timezone.now())
    messages.success(request, _("The session has ended."))
    return redirect("account")


@access.signed_in.post
def end_other_sessions(request: access.DeskRequest) -> HttpResponse:
    """End every own session but this one."""
    count = sessions.end_others(
        user=request.user, session_key=request.session.session_key or "", at=timezone.now()
    )
    message = ngettext("%(count)s other session has ended.", "%(count)s other sessions have ended.", count)
    messages.success(request, message % {"count": count})
    return redirect("account")


def _key_of(request: HttpRequest) -> str:
    """Return the key of the session that is being written down, and mark it as such."""
    request.session[session_use.LISTED] = True
    # A session has no key before it is saved for the first time.
    if request.session.session_key is None:
        request.session.create()
    return request.session.session_key or ""


def _agent_of(request: HttpRequest) -> str:
    return request.headers.get("User-Agent", "")


def _page(
    request: access.DeskRequest,
    *,
    password_form: PasswordForm | None = None,
    status: int = 200,
) -> HttpResponse:
    at = timezone.now()
    context = {
        "section": "account",
        "at": at,
        "sessions": user_sessions.of_user(request.user, session_key=request.session.session_key, at=at),
        "has_second_factor": has_second_factor(request.user),
        "password_form": password_form or PasswordForm(user=request.user),
    }
    return render(request, "accounts/account.html", context, status=status)
