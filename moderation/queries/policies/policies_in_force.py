"""The policies that scoring asks about."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from moderation.models import Policy


def live(*, at: datetime, prefix: str = "") -> Q:
    """Return the condition for policies in force at an instant; `prefix` leads to the policy."""
    return Q(
        **{
            f"{prefix}activated_at__lte": at,
            f"{prefix}ended_at__isnull": True,
            f"{prefix}expires_at__gt": at,
        }
    )


def at(at: datetime) -> list[Policy]:
    """Return the policies in force, in the order in which they were written."""
    return list(Policy.objects.filter(live(at=at)).defer("trial").order_by("id"))
