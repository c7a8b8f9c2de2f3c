"""The notes that name somebody, or their role, as they read them."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from moderation.models import Mention, User
from moderation.queries import case_access, keyset
from moderation.queries.keyset import Page

MOST_COUNTED = 100
_ROWS = 50


def of(viewer: User) -> QuerySet[Mention]:
    """Return the mentions of a user and of their role, on cases that they may see and in notes not erased."""
    named = Q(user=viewer) | Q(role=viewer.role)
    visible = case_access.visible(viewer).values("pk")
    return Mention.objects.filter(named, note__case__in=visible).exclude(note__text="").select_related("note")


def open_count(viewer: User) -> int:
    """Return how many wait for this user, at most MOST_COUNTED."""
    return of(viewer).filter(done_at__isnull=True).order_by()[:MOST_COUNTED].count()


def page(*, viewer: User, is_done: bool, cursor: str = "") -> Page[Mention]:
    """Return a user's mentions, the newest first. Raises InvalidCursor."""
    rows = of(viewer).filter(done_at__isnull=not is_done)
    rows = rows.select_related("note__author", "note__case__post__author", "done_by")
    return keyset.page(rows, order=("-pk",), after=keyset.after(cursor, int), limit=_ROWS)
