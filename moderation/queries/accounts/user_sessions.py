"""Sessions that a user is signed in to."""

from datetime import datetime

from django.db.models import Q, QuerySet

from moderation.models import User, UserSession

MOST = 50


def of_user(user: User, *, session_key: str | None, at: datetime) -> QuerySet[UserSession]:
    """Return the sessions of a user, the one that `is_this` first, then the last used; at most MOST."""
    rows = UserSession.objects.filter(user=user, session__expire_date__gt=at)
    return rows.annotate(is_this=Q(session=session_key)).order_by("-is_this", "-used_at", "-pk")[:MOST]
