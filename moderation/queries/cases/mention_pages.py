"""Mentions in notes: those of a user as they read them, and whom a note can name after an @."""

import re
from dataclasses import dataclass

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from moderation.models import Mention, User
from moderation.models.users import DECIDERS, Role
from moderation.queries import case_access, keyset
from moderation.queries.keyset import Page

MOST_COUNTED = 100
_ROWS = 50
MOST = 8
_WRITTEN = re.compile(r"[\w@.+-]*")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionName:
    """A name as it is written after the @: of a role, or of a user, whose full name is `told`."""

    name: str
    told: str
    role: Role | None = None


def beginning(start: str, *, viewer: User) -> tuple[MentionName, ...]:
    """Return roles, then users who decide cases and have a name that begins so; at most MOST.

    The viewer and users who cannot see a case are left out.
    """
    if not _WRITTEN.fullmatch(start):
        return ()
    roles = [
        MentionName(name=role, told=str(role.label), role=role)
        for role in Role
        if role in DECIDERS and role.startswith(start.casefold())
    ]
    users = User.objects.filter(is_active=True, role__in=DECIDERS).exclude(pk=viewer.pk)
    named = users.annotate(full_name=Concat("first_name", Value(" "), "last_name")).filter(
        Q(username__istartswith=start) | Q(full_name__istartswith=start) | Q(last_name__istartswith=start)
    )
    matches = named.order_by("username")[: MOST - len(roles)]
    return (*roles, *(MentionName(name=user.username, told=user.get_full_name()) for user in matches))
