"""The filters that a person keeps."""

from __future__ import annotations

from moderation.models import SavedFilter, User


def kept(*, person: User, page: str) -> list[SavedFilter]:
    """Return a person's filters of one list, by name."""
    return list(SavedFilter.objects.filter(user=person, page=page))
