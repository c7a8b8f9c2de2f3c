"""Signing in by the OpenID provider that SPAMDESK_OIDC names; allauth speaks the protocol."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import requests
import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.operations.accounts import provided
from moderation.operations.infrastructure import egress
from moderation.web.accounts import lockout

log = structlog.get_logger(__name__)
_MOST_BYTES = 1_000_000


class Provider(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Whom the provider's answer lets in, and how it is asked."""

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Find or make the user; none of what the provider tells is kept but its identifier."""
        account = sociallogin.account
        told, account.extra_data = account.extra_data, {}
        claims = told.get("id_token", {}) | told.get("userinfo", {})
        if account.pk:
            account.save(update_fields=("extra_data",))
        if sociallogin.state.get("process") != "login":  # it would join two accounts
            raise ImmediateHttpResponse(_refused(request))
        try:
            sociallogin.user = provided.admit(account=account, claims=claims, at=timezone.now())
        except provided.NoRole as refusal:
            raise ImmediateHttpResponse(_refused(request, has_no_role=True)) from refusal

    def on_authentication_error(self, request: HttpRequest, *_: Any, **told: Any) -> None:
        """Tell that nobody was signed in; the log names the cause, without the provider's words."""
        log.warning("provider_failed", error=str(told["error"]), cause=type(told.get("exception")).__name__)
        raise ImmediateHttpResponse(_refused(request))

    def get_requests_session(self) -> requests.Session:
        """Return a session whose calls are bounded, and reach private addresses only where they may."""
        session = requests.Session()
        for scheme in ("https://", "http://"):
            session.mount(scheme, _Guarded())
        return session


class _Guarded(requests.adapters.BaseAdapter):
    def send(self, request: requests.PreparedRequest, **_: Any) -> requests.Response:  # type: ignore[override]
        """Call by `egress`. Raises OAuth2Error."""
        try:
            answered = egress.request(
                str(request.method),
                url=str(request.url),
                headers={name: str(value) for name, value in request.headers.items()},
                body=request.body.encode() if isinstance(request.body, str) else None,
                most_bytes=_MOST_BYTES,
            )
        except (egress.Refused, egress.Failed) as failure:
            raise OAuth2Error(str(failure)) from failure
        response = requests.Response()
        response.status_code, response._content = answered.status, answered.body  # noqa: SLF001
        response.headers["content-type"] = "application/json"
        return response

    def close(self) -> None:
        """Nothing stays open."""


def _told(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Tell on a page that the provider does not answer, or not as the protocol has it."""

    @wraps(view)
    def shown(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except (requests.RequestException, OAuth2Error, LookupError, ValueError) as failure:
            log.warning("provider_failed", cause=type(failure).__name__)
            return _refused(request)

    return shown


def _refused(request: HttpRequest, *, has_no_role: bool = False) -> HttpResponse:
    return render(request, "accounts/provider_refused.html", {"has_no_role": has_no_role}, status=403)


begin = lockout.begun_slowly(require_safe(_told(views.login)))
finish = require_safe(_told(views.callback))
