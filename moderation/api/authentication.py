"""Keys and scopes: who is calling, and what the key may do."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from moderation.api.errors import Refused
from moderation.models import ApiKey, Platform, User
from moderation.operations.accounts import api_keys
from moderation.operations.infrastructure import client_address


class KeyAuthentication(BaseAuthentication):
    """Authorization: Bearer sk_… ; the request then acts for the key's platform."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiKey] | None:
        """Return the key of the request, None without one. Raises InvalidKey, its kinds, or LimitReached."""
        secret = self.secret_of(request)
        if secret is None:
            return None
        return AnonymousUser(), api_keys.authenticate(
            secret=secret,
            at=timezone.now(),
            network=client_address.network(client_address.address(request)),
        )

    def secret_of(self, request: Request) -> str | None:
        """Return what the request gives as its key, None if it gives none."""
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind and kind.lower() != "bearer":
            raise NotAuthenticated("Use the scheme Bearer: Authorization: Bearer <key>.")
        return secret.strip() if kind else None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's signature
        """Return the challenge of a 401."""
        return 'Bearer realm="spamdesk"'


class HasScope(BasePermission):
    """The view's `operation` names a scope; the key must hold it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return False without a key. Raises Refused if the key lacks the scope."""
        if not isinstance(request.auth, ApiKey):
            return False
        method = getattr(type(view), str(request.method).lower(), None)
        scope = getattr(method, "scope", None)
        if scope is not None and scope not in request.auth.scopes:
            raise Refused("missing_scope", f"This needs a key with the scope {scope}.")
        return True


def key_of(request: Request) -> ApiKey:
    """Return the request's key, which every operation needs."""
    if not isinstance(request.auth, ApiKey):
        raise NotAuthenticated
    return request.auth


def platform_of(request: Request) -> Platform:
    """Return the platform that the request's key belongs to."""
    return key_of(request).platform


def user_of(request: Request) -> User:
    """Return the user that the key acts for. Raises Refused if there is none."""
    person = key_of(request).acts_as
    if person is None or not person.is_active:
        raise Refused("nobody_behind_key", "This needs a key that acts in the name of a person.")
    person.acts_by_key = True
    return person


def exporter_of(request: Request) -> User:
    """Return the lead or ML engineer that the key acts for. Raises Refused."""
    person = user_of(request)
    if not person.may_export:
        raise Refused("not_allowed", "This needs a key that acts for a lead or an ML engineer.")
    return person


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its metaclass has no types
    """How the OpenAPI document describes the key."""

    target_class = KeyAuthentication
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - the base's signature
        """Return the security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A key of your platform, `sk_…`. Each operation names the scope that it needs.",
        }
