"""Users, their sessions, and keys of platforms."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.forms.models import model_to_dict
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from moderation.models import ApiKey, AuditEntry, Platform, User, UserSession
from moderation.models.users import Role
from moderation.operations.accounts import api_keys, sessions, users
from moderation.operations.accounts.users import Profile
from moderation.queries.accounts import user_sessions
from moderation.queries.accounts.users import is_in_hands_of
from tests.moderation.instants import AT, later

AS_MODERATOR = Profile(first_name="", last_name="", role=Role.MODERATOR)
AS_ADMIN = Profile(first_name="", last_name="", role=Role.ADMIN)


class TestLastAdministrator:
    def test_stays(self, admin: User, lead: User) -> None:
        with pytest.raises(users.LastAdministrator):
            users.change(user_id=admin.pk, profile=AS_MODERATOR, actor=lead, at=AT)
        with pytest.raises(users.LastAdministrator):
            users.deactivate(user_id=admin.pk, actor=lead, at=AT)

    def test_may_go_when_another_is_there(self, admin: User, lead: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN)

        users.deactivate(user_id=admin.pk, actor=lead, at=AT)

        admin.refresh_from_db()
        assert not admin.is_active

    def test_is_not_counted_when_closed(self, admin: User, lead: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN, is_active=False)

        with pytest.raises(users.LastAdministrator):
            users.deactivate(user_id=admin.pk, actor=lead, at=AT)


class TestCreate:
    def test_gives_a_password_that_nobody_guesses(self, admin: User) -> None:
        made = [users.create(username=f"n{n}", profile=AS_MODERATOR, actor=admin, at=AT)[1] for n in range(3)]

        assert len(set(made)) == 3
        assert all(len(password) == 16 for password in made)


class TestInHandsOf:
    """Whose password somebody was shown since they proposed something, or in the week before."""

    @pytest.fixture
    def second(self, admin: User) -> User:
        return users.create(username="second", profile=AS_ADMIN, actor=admin, at=later(10))[0]

    def test_is_oneself_and_whom_one_made(self, admin: User, lead: User, second: User) -> None:
        assert is_in_hands_of(admin.pk, account=admin, since=AT)
        assert is_in_hands_of(admin.pk, account=second, since=AT)
        assert is_in_hands_of(admin.pk, account=second, since=AT + timedelta(days=7))
        assert not is_in_hands_of(admin.pk, account=second, since=later(11) + timedelta(days=7))
        assert not is_in_hands_of(lead.pk, account=second, since=AT)
        assert not is_in_hands_of(None, account=second, since=AT)

    def test_is_whose_password_one_s_second_account_reset(
        self, admin: User, lead: User, second: User
    ) -> None:
        users.reset_password(user_id=lead.pk, actor=second, at=later(20))

        assert is_in_hands_of(admin.pk, account=lead, since=AT)


NOW = timezone.now()
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/140 Safari/537 Edg/140"
CHROME = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/140 Mobile Safari/537"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 19 like Mac OS X) Version/19 Safari/605"
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


def listed(user: User) -> list[UserSession]:
    return list(user_sessions.of_user(user, session_key="", at=NOW))


class TestEndSession:
    def test_ends_only_one_s_own(self, session: Made, moderator: User, lead: User) -> None:
        session(moderator)
        [other] = listed(moderator)

        with pytest.raises(UserSession.DoesNotExist):
            sessions.end(user=lead, public_id=other.public_id, at=NOW)
        assert Session.objects.count() == 1

        sessions.end(user=moderator, public_id=other.public_id, at=NOW)

        assert not Session.objects.exists()
        assert not UserSession.objects.exists()
        with pytest.raises(UserSession.DoesNotExist):
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

    @pytest.mark.parametrize("act", [users.deactivate, users.reset_password])
    def test_comes_with_a_closed_account_and_a_new_password(
        self, session: Made, moderator: User, lead: User, act: Callable[..., object]
    ) -> None:
        session(moderator)

        act(user_id=moderator.pk, actor=lead, at=NOW)

        assert not Session.objects.exists()


class TestSessions:
    @pytest.mark.parametrize(
        ("agent", "browser", "system"),
        [
            (FIREFOX, "Firefox", "Linux"),
            (EDGE, "Edge", "Windows"),
            (CHROME, "Chrome", "Android"),
            (SAFARI, "Safari", "iPhone"),
            ("<script>alert(1)</script>" * 100, "", ""),
            ("", "", ""),
        ],
    )
    def test_say_which_device_they_are_on(
        self, session: Made, moderator: User, agent: str, browser: str, system: str
    ) -> None:
        session(moderator, agent=agent)

        [found] = listed(moderator)

        assert (found.browser, found.system, found.signed_in_at) == (browser, system, NOW)

    def test_are_marked_as_used_in_steps(self, session: Made, moderator: User) -> None:
        key = session(moderator)
        soon, later = NOW + sessions.USED_EVERY, NOW + sessions.USED_EVERY + timedelta(seconds=1)

        sessions.touch(session_key=key, at=soon)
        assert listed(moderator)[0].used_at == NOW
        sessions.touch(session_key=key, at=later)

        assert listed(moderator)[0].used_at == later

    def test_expired_or_ended_elsewhere_are_not_listed(self, session: Made, moderator: User) -> None:
        gone, expired, kept = (session(moderator) for _ in range(3))
        Session.objects.filter(pk=gone)._raw_delete("default")
        Session.objects.filter(pk=expired).update(expire_date=NOW - timedelta(seconds=1))

        assert [one.public_id for one in listed(moderator)] == [
            UserSession.objects.get(session=kept).public_id
        ]
        session(moderator)
        assert not UserSession.objects.filter(session_id=gone).exists()


@pytest.fixture
def issued(platform: Platform) -> tuple[ApiKey, str]:
    return api_keys.issue(
        platform=platform, name="ingest", scopes=["posts:write"], expires_at=AT + timedelta(days=1), at=AT
    )


class TestIssue:
    def test_keeps_no_secret(self, issued: tuple[ApiKey, str]) -> None:
        key, secret = issued

        stored = ApiKey.objects.get(pk=key.pk)
        assert key.prefix.startswith("sk_test_"), "it says what it is for"
        assert secret.startswith(key.prefix)
        assert secret.removeprefix(key.prefix) not in str(model_to_dict(stored))
        assert len(stored.digest) == 64
        assert AuditEntry.objects.get().action == "key.issued"


class TestAuthenticate:
    def test_returns_key_and_platform_in_one_query(
        self,
        issued: tuple[ApiKey, str],
        platform: Platform,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        api_keys.authenticate(secret=issued[1], at=later(1))

        with django_assert_num_queries(1):
            key = api_keys.authenticate(secret=issued[1], at=later(2))
            assert key.platform == platform

    def test_notes_its_use_at_most_once_a_minute(self, issued: tuple[ApiKey, str]) -> None:
        seen = []
        for seconds in (1, 30, 60.9, 61, 100):
            api_keys.authenticate(secret=issued[1], at=later(seconds))
            seen.append(ApiKey.objects.get().last_used_at)

        assert seen == [later(1), later(1), later(1), later(61), later(61)]

    @pytest.mark.parametrize("is_revoked", [False, True])
    def test_tells_nothing_to_who_has_a_right_prefix_alone(
        self, issued: tuple[ApiKey, str], is_revoked: bool
    ) -> None:
        key, secret = issued
        wrong = key.prefix + "A" * (len(secret) - len(key.prefix))
        if is_revoked:
            api_keys.revoke(key_id=key.pk, actor=None, at=later(1))

        with pytest.raises(api_keys.InvalidKey) as refused:
            api_keys.authenticate(secret=wrong, at=later(2))

        assert refused.type is api_keys.InvalidKey

    def test_test_keys_open_no_production_desk(self, issued: tuple[ApiKey, str], settings: Settings) -> None:
        settings.MODE = "production"

        with pytest.raises(api_keys.InvalidKey):
            api_keys.authenticate(secret=issued[1], at=AT)

    def test_a_revocation_keeps_its_first_time_and_one_entry(self, issued: tuple[ApiKey, str]) -> None:
        api_keys.revoke(key_id=issued[0].pk, actor=None, at=later(1))

        api_keys.revoke(key_id=issued[0].pk, actor=None, at=later(9))

        assert ApiKey.objects.get().revoked_at == later(1)
        assert AuditEntry.objects.filter(action="key.revoked").count() == 1
