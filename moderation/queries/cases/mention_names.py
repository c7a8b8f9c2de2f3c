"""Whom a note can name after an @."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import Q, Value
from django.db.models.functions import Concat

from moderation.models import User
from moderation.models.users import DECIDERS, Role

MOST = 8
_WRITTEN = re.compile(r"[\w@.+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionName:
    """A name as it is written after the @: of a role, or of a user, whose full name is `told`."""

    name: str
    told: str
    role: Role | None = None


def beginning(start: str, *, viewer: User) -> tuple[MentionName, ...]:
    """Return roles, then users who decide cases, of whose names one begins so; at most MOST.

    Without the viewer, whom their own note tells nothing, and without those who cannot see a case.
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
    found = named.order_by("username")[: MOST - len(roles)]
    return (*roles, *(MentionName(name=user.username, told=user.get_full_name()) for user in found))
