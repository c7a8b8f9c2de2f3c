"""The people of the desk."""

from __future__ import annotations

from django.db.models import Count, Q

from moderation.models import User
from moderation.models.cases import CaseState


def listed() -> list[User]:
    """Return everybody with `claimed`, the cases in their hands: those who can sign in first, by name."""
    claimed = Count("claims", filter=Q(claims__state=CaseState.OPEN))
    return list(User.objects.annotate(claimed=claimed).order_by("-is_active", "username"))
