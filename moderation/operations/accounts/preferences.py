"""Keep how a person likes to work."""

from __future__ import annotations

from moderation.models import User
from moderation.models.comfort import Comfort


def keep(*, user: User, comfort: Comfort) -> None:
    """Store a person's own settings."""
    user.comfort_settings = comfort.to_json()
    user.save(update_fields=("comfort_settings",))
