"""Sessions of users: written down, marked as used, ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from moderation.models import AuditEntry, User, UserSession
from moderation.operations.accounts import sessions, users
from moderation.queries.accounts import user_sessions

NOW = timezone.now()
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
Made = Callable[..., str]


@pytest.fixture
def session(db: None) -> Made:
    """Sign somebody in; return the key."""

    def make(user: User, *, is_listed: bool = True, agent: str = FIREFOX) -> str:
        store = SessionStore()
        store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(user.pk), "any"
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.create()
        assert store.session_key is not None
        if is_listed:
            sessions.begin(user=user, session_key=store.session_key, user_agent=agent, at=NOW)
        return store.session_key

    return make


def listed(user: User) -> list[user_sessions.OwnSession]:
    return user_sessions.of_user(user, session_key="", at=NOW)


@pytest.mark.parametrize(
    ("agent", "browser", "system"),
    [
        (FIREFOX, "Firefox", "Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/140 Safari/537 Edg/140", "Edge", "Windows"),
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/140 Mobile Safari/537", "Chrome", "Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19 like Mac OS X) Version/19 Safari/605", "Safari", "iPhone"),
        ("<script>alert(1)</script>" * 100, "", ""),
        ("", "", ""),
    ],
)
def test_say_which_device_they_are_on(
    session: Made, moderator: User, agent: str, browser: str, system: str
) -> None:
    session(moderator, agent=agent)

    [found] = listed(moderator)

    assert (found.browser, found.system, found.signed_in_at, found.is_this) == (browser, system, NOW, False)


def test_are_marked_as_used_in_steps(session: Made, moderator: User) -> None:
    key = session(moderator)
    soon, later = NOW + sessions.USED_EVERY, NOW + sessions.USED_EVERY + timedelta(seconds=1)

    sessions.touch(session_key=key, at=soon)
    assert listed(moderator)[0].used_at == NOW
    sessions.touch(session_key=key, at=later)

    assert listed(moderator)[0].used_at == later


def test_that_expired_or_were_ended_elsewhere_are_not_listed(session: Made, moderator: User) -> None:
    gone, expired, kept = (session(moderator) for _ in range(3))
    Session.objects.filter(pk=gone)._raw_delete("default")
    Session.objects.filter(pk=expired).update(expire_date=NOW - timedelta(seconds=1))

    assert [one.public_id for one in listed(moderator)] == [UserSession.objects.get(session=kept).public_id]
    session(moderator)
    assert not UserSession.objects.filter(session_id=gone).exists()


class TestEnd:
    def test_ends_only_one_s_own(self, session: Made, moderator: User, lead: User) -> None:
        session(moderator)
        [other] = listed(moderator)

        with pytest.raises(sessions.NoSuchSession):
            sessions.end(user=lead, public_id=other.public_id, at=NOW)
        assert Session.objects.count() == 1

        sessions.end(user=moderator, public_id=other.public_id, at=NOW)

        assert not Session.objects.exists()
        assert not UserSession.objects.exists()
        with pytest.raises(sessions.NoSuchSession):
            sessions.end(user=moderator, public_id=other.public_id, at=NOW)

    def test_of_all_others_reaches_those_that_nobody_wrote_down(
        self, session: Made, moderator: User, lead: User
    ) -> None:
        here, leads = session(moderator), session(lead)
        session(moderator)
        session(moderator, is_listed=False)

        assert sessions.end_others(user=moderator, session_key=here, at=NOW) == 2

        assert set(Session.objects.values_list("pk", flat=True)) == {here, leads}
        entry = AuditEntry.objects.get(action="user.sessions_ended")
        assert (entry.actor, entry.details) == (moderator, {"count": 2})

    def test_of_somebody_says_who_did_it(self, session: Made, moderator: User, lead: User) -> None:
        session(moderator)

        assert sessions.end_all(user_id=moderator.pk, actor=lead, at=NOW) == 1

        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.subject_id) == (lead, str(moderator.pk))
        with pytest.raises(User.DoesNotExist):
            sessions.end_all(user_id=0, actor=lead, at=NOW)

    @pytest.mark.parametrize("act", [users.deactivate, users.reset_password])
    def test_comes_with_a_closed_account_and_a_new_password(
        self, session: Made, moderator: User, lead: User, act: Callable[..., object]
    ) -> None:
        session(moderator)

        act(user_id=moderator.pk, actor=lead, at=NOW)

        assert not Session.objects.exists()
