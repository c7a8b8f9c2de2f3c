"""Keep and forget filters of lists."""

from __future__ import annotations

from datetime import datetime

from moderation.models import SavedFilter, User
from moderation.models.filters import FilterPage

MOST = 20
"""Filters that one person keeps for one list: more would not fit above it."""


class TooMany(Exception):
    """No more filters fit above the list: forget one first."""


def keep(*, person: User, page: FilterPage, name: str, query: str, at: datetime) -> SavedFilter:
    """Keep a query string under a name, in place of an older one of that name. Raises TooMany."""
    own = SavedFilter.objects.filter(user=person, page=page)
    if own.exclude(name=name).count() >= MOST:
        raise TooMany
    return SavedFilter.objects.update_or_create(
        user=person, page=page, name=name, defaults={"query": query, "created_at": at}
    )[0]


def forget(*, person: User, filter_id: int) -> None:
    """Forget one of one's own filters; somebody else's stays."""
    SavedFilter.objects.filter(user=person, pk=filter_id).delete()
