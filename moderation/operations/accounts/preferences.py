"""Write a user's preferences."""

from __future__ import annotations

from moderation.models import User
from moderation.models.preferences import Preferences


def store(*, user: User, chosen: Preferences) -> None:
    """Save all preferences of a user, creating the row at first use."""
    user.stored_preferences = chosen.to_json()
    user.save(update_fields=("stored_preferences",))
