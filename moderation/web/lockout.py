"""How many wrong passwords close the door, and for whom; django-axes counts them in the database."""

from __future__ import annotations

from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_ip_address, get_client_username
from axes.models import AccessAttempt
from django.db.models import Sum
from django.http import HttpRequest

# Four times the patience of one name from one address: an office behind one address mistypes more often than
# one person, and somebody who guesses from many addresses must not lock the owner out too easily.
_SLACK = 4


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Closes for a name from an address, for an address with any names, and for a name from any addresses.

    It counts alike whether or not the name exists, so that a closed door tells nobody who works here.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return the failures to compare with AXES_FAILURE_LIMIT."""
        recent = AccessAttempt.objects.filter(attempt_time__gte=get_cool_off_threshold(request))
        counts: list[int] = [super().get_failures(request, credentials)]
        if address := get_client_ip_address(request):
            counts.append(_sum(recent.filter(ip_address=address)) // _SLACK)
        if username := get_client_username(request, credentials):
            counts.append(_sum(recent.filter(username=username)) // _SLACK)
        return max(counts)


def _sum(attempts: Any) -> int:
    return int(attempts.aggregate(all=Sum("failures_since_start"))["all"] or 0)
