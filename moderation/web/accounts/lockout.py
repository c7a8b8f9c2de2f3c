"""Sign-in throttling: delays after wrong passwords; django-axes keeps the counts in the database.

Delays grow, and those that others can cause stay short. A known device of the user has its own count: other
people's attempts never delay it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

import structlog
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import F, Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.operations.accounts import devices
from moderation.operations.infrastructure import client_address, limits

log = structlog.get_logger(__name__)

_UNKNOWN_DEVICE = "unknown device"
_CLOCK_SKEW_SECONDS = 60
_BEGUN = limits.Bucket(name="beginnings of sign-in", per_minute=20, burst=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Number of free failures, and the delays after them: the first, doubling up to the longest."""

    free: int
    first_seconds: int
    longest_seconds: int

    def seconds_after(self, failures: int) -> int:
        """Return how long the next attempt has to wait."""
        if failures < self.free:
            return 0
        # The exponent is bounded: after a long attack 2**n would have a million digits.
        return min(self.longest_seconds, self.first_seconds << min(failures - self.free, 20))


ONE_NAME = Patience(free=5, first_seconds=15, longest_seconds=900)
"""For a name from one address, and for a known device: only the user's own mistakes cause it."""

MANY = Patience(free=20, first_seconds=5, longest_seconds=60)
"""For a name from anywhere, or an address with any names: others can cause this, so it stays short."""


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Counts the same whether or not the name exists, so that a delay does not reveal user names."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return axes' limit while the attempt has to wait, otherwise 0."""
        username = get_client_username(request, credentials) or ""
        # axes knows a number and a limit, no delays: the limit itself means "locked out now".
        return settings.AXES_FAILURE_LIMIT if wait_seconds(request, username=username) else 0

    def user_login_failed(
        self,
        sender: Any,  # noqa: ARG002 - axes' signature
        credentials: dict[str, Any],
        request: Any = None,
        **_more: Any,
    ) -> None:
        """Count a wrong password; an attempt during a delay was not checked and does not count."""
        if request is None:
            return
        self.clean_expired_user_attempts(request, credentials)
        username = get_client_username(request, credentials) or ""
        if not request.axes_locked_out:
            count_failure(request, username=username)
            request.axes_locked_out = wait_seconds(request, username=username) > 0
        request.axes_credentials = credentials
        log.warning(
            "sign_in_failed",
            # Never what was typed: people type passwords into the field of the name.
            user=User.objects.filter(username=username).values_list("pk", flat=True).first(),
            address=request.axes_ip_address,
            is_held_up=request.axes_locked_out,
        )

    def user_logged_in(self, sender: Any, request: Any, user: Any, **more: Any) -> None:
        """Forget the wrong passwords of this device, and of this name from this address."""
        super().user_logged_in(sender, request, user, **more)
        wrong_codes = AccessAttempt.objects.filter(username=code_name(user))
        wrong_codes.filter(ip_address=counted_address(request)).delete()
        if device := _device(request, username=user.get_username()):
            AccessAttempt.objects.filter(user_agent=device).delete()


def wait_seconds(request: HttpRequest, *, username: str) -> int:
    """Return the seconds until the next attempt for this name is checked; 0 if at once."""
    device = _device(request, username=username)
    if device:
        return _left(AccessAttempt.objects.filter(user_agent=device), ONE_NAME)
    unknown = AccessAttempt.objects.filter(user_agent=_UNKNOWN_DEVICE)
    here = unknown.filter(ip_address=counted_address(request))
    return max(
        _left(here.filter(username=username), ONE_NAME),
        _left(here, MANY),
        _left(unknown.filter(username=username), MANY),
    )


def code_name(user: User) -> str:
    """Return the name under which wrong codes of somebody are counted; user names have no spaces."""
    return f"second factor of {user.get_username()}"


def count_failure(request: HttpRequest, *, username: str) -> None:
    """Count a wrong attempt for a name, from this address or device."""
    now = timezone.now()
    attempt, is_new = AccessAttempt.objects.get_or_create(
        username=username,
        ip_address=counted_address(request),
        user_agent=_device(request, username=username) or _UNKNOWN_DEVICE,
        defaults={"failures_since_start": 1, "attempt_time": now, "path_info": ""},
    )
    if not is_new:
        # Added by the database: of two attempts at the same time both count.
        AccessAttempt.objects.filter(pk=attempt.pk).update(
            failures_since_start=F("failures_since_start") + 1, attempt_time=now
        )


def begun_slowly(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer 429 if a network begins to sign in so often: each beginning keeps a session for minutes."""

    @wraps(view)
    def shown(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            limits.take(bucket=_BEGUN, owner=counted_address(request), at=timezone.now())
        except limits.LimitReached as reached:
            later = {"Retry-After": str(reached.taken.reset_seconds)}
            return HttpResponse(_("Too many attempts"), status=429, headers=later)
        if not request.user.is_authenticated:
            request.session.set_expiry(settings.ACCOUNT_LOGIN_TIMEOUT)
        return view(request, *args, **kwargs)

    return shown


def counted_address(request: HttpRequest) -> str:
    """Return the address that stands for the client's network; axes asks for it, too."""
    network = client_address.network(client_address.address(request)).partition("/")[0]
    return "::" if network.startswith("unknown") else network


def answer(request: HttpRequest, _original: object, credentials: dict[str, Any] | None) -> HttpResponse:
    """Answer 429 with the waiting time; the same for unknown names."""
    username = get_client_username(request, credentials) or ""
    seconds = wait_seconds(request, username=username) or 1
    response = render(request, "accounts/locked_out.html", {"seconds": seconds}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def remember_device(response: HttpResponse, *, user: User) -> None:
    """Make the browser known as one that this user signed in with."""
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        devices.cookie(user),
        max_age=devices.COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _device(request: HttpRequest, *, username: str) -> str:
    cookie = request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "")
    device = devices.recognise(cookie, username=username)
    return f"device {device}" if device else ""


def _left(attempts: QuerySet[Any], patience: Patience) -> int:
    totals = attempts.aggregate(failures=Sum("failures_since_start"), last_at=Max("attempt_time"))
    last_at: datetime | None = totals["last_at"]
    if last_at is None:
        return 0
    since = (timezone.now() - last_at).total_seconds()
    if since < -_CLOCK_SKEW_SECONDS:
        return 0  # the clock was set back: the failure does not count
    return max(0, math.ceil(patience.seconds_after(totals["failures"]) - max(since, 0.0)))
