"""Saved filters of a user."""

from __future__ import annotations

from moderation.models import SavedFilter, User


def kept(*, user: User, page: str) -> list[SavedFilter]:
    """Return a user's filters of one list, by name."""
    return list(SavedFilter.objects.filter(user=user, page=page))
