"""The columns of most tables that say who did something, or empty until somebody does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from moderation.models.users import User


def acting_user(*, related_name: str = "+", has_index: bool = True) -> models.ForeignKey[User, User]:
    """Return a key to who did it, who is never deleted while the row is there."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name=related_name, db_index=has_index
    )


def optional_user(
    *, related_name: str = "+", has_index: bool = True, help_text: str = ""
) -> models.ForeignKey[User | None, User | None]:
    """Return a key to a user who is never deleted while the row is there."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name=related_name,
        db_index=has_index,
        help_text=help_text,
    )
