"""Sessions of users: written down at sign-in, marked as used, ended by their users or an administrator."""

from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction

from moderation.models import User, UserSession
from moderation.operations.audit import entries

_audit = entries.writer("user")
USED_EVERY = timedelta(minutes=5)
"""How exactly it is known when a session was last used."""

# The first that is found: Edge and Opera name Chrome too, Chrome names Safari, Android names Linux.
_BROWSERS = (
    ("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("FxiOS", "Firefox"), ("Chrom", "Chrome"),
    ("CriOS", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def begin(*, user: User, session_key: str, user_agent: str, at: datetime) -> None:
    """Record a new session at sign-in."""
    with transaction.atomic():
        # Sessions that another release, or time, ended.
        UserSession.objects.filter(user=user).exclude(session__in=Session.objects.values("pk")).delete()
        UserSession.objects.update_or_create(
            session_id=session_key,
            defaults={
                "user": user,
                "browser": _named(user_agent, _BROWSERS),
                "system": _named(user_agent, _SYSTEMS),
                "signed_in_at": at,
                "used_at": at,
            },
        )


def renew(*, user: User, session_key: str, user_agent: str, at: datetime) -> None:
    """Begin again under a new key after a change of password, which ends every other session."""
    with transaction.atomic():
        _delete(_keys(user, at=at) - {session_key})
        begin(user=user, session_key=session_key, user_agent=user_agent, at=at)


def touch(*, session_key: str, at: datetime) -> None:
    """Note that a session is used, in steps of USED_EVERY."""
    UserSession.objects.filter(session=session_key, used_at__lt=at - USED_EVERY).update(used_at=at)


def end(*, user: User, public_id: UUID, at: datetime) -> None:
    """End one of one's own sessions. Raises UserSession.DoesNotExist."""
    with transaction.atomic():
        row = UserSession.objects.get(user=user, public_id=public_id)
        if not _delete({row.session_id}):
            raise UserSession.DoesNotExist
        _audit("user.sessions_ended", user, actor=user, at=at, count=1)


def end_others(*, user: User, session_key: str, at: datetime) -> int:
    """End every own session but this one; return how many."""
    with transaction.atomic():
        count = _delete(_keys(user, at=at) - {session_key})
        _audit("user.sessions_ended", user, actor=user, at=at, count=count)
    return count


def end_all(*, user_id: int, actor: User, at: datetime) -> int:
    """End every session of somebody; return how many. Raises User.DoesNotExist."""
    with transaction.atomic():
        user = User.objects.get(pk=user_id)
        count = _delete(_keys(user, at=at))
        _audit("user.sessions_ended", user, actor=actor, at=at, count=count)
    return count


def forget(*, user: User, at: datetime) -> None:
    """Delete a user's sessions after the account was closed or the password was reset."""
    _delete(_keys(user, at=at))


def forget_expired(*, at: datetime) -> None:
    """Delete sessions that are over, those of people who never finished signing in among them."""
    Session.objects.filter(expire_date__lte=at).delete()


def _keys(user: User, *, at: datetime) -> set[str]:
    """Return the keys of a user's sessions, also those that were not recorded.

    All sessions are read, since only their data names the user: they last for hours, and users are few.
    """
    live = Session.objects.filter(expire_date__gt=at).iterator(chunk_size=500)
    return {row.session_key for row in live if row.get_decoded().get(SESSION_KEY) == str(user.pk)}


def _delete(keys: set[str]) -> int:
    """Delete sessions and their records; return how many there were."""
    rows = Session.objects.filter(session_key__in=keys)
    count = rows.count()
    rows.delete()
    return count


def _named(user_agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in names if part in user_agent), "")
