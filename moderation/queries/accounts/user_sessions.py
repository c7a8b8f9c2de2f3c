"""Sessions that a user is signed in to."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from moderation.models import User, UserSession

MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSession:
    """A session, without its secret key; browser and system are "" where the device does not tell."""

    public_id: UUID
    browser: str
    system: str
    signed_in_at: datetime
    used_at: datetime
    is_this: bool


def of_user(user: User, *, session_key: str | None, at: datetime) -> list[OwnSession]:
    """Return the sessions of a user, this one first, then the last used; at most MOST."""
    rows = UserSession.objects.filter(user=user, session__expire_date__gt=at).order_by("-used_at", "-pk")
    sessions = [
        OwnSession(
            public_id=row.public_id,
            browser=row.browser,
            system=row.system,
            signed_in_at=row.signed_in_at,
            used_at=at if row.session_id == session_key else row.used_at,
            is_this=row.session_id == session_key,
        )
        for row in rows[:MOST]
    ]
    return sorted(sessions, key=lambda session: not session.is_this)
