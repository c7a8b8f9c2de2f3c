"""Keys: what is stored, what opens, what a use costs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.forms.models import model_to_dict
from pytest_django import DjangoAssertNumQueries, Settings

from moderation.models import ApiKey, AuditEntry, Platform
from moderation.operations.accounts import api_keys
from tests.moderation.instants import AT, later


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

    def test_never_gives_the_same_twice(self, platform: Platform) -> None:
        secrets = {
            api_keys.issue(platform=platform, name="k", scopes=[], expires_at=None, at=AT)[1]
            for _ in range(20)
        }

        assert len(secrets) == 20


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

    def test_refuses_a_revoked_key(self, issued: tuple[ApiKey, str]) -> None:
        api_keys.revoke(key_id=issued[0].pk, actor=None, at=later(1))

        with pytest.raises(api_keys.RevokedKey):
            api_keys.authenticate(secret=issued[1], at=later(2))

    def test_refuses_an_expired_key(self, issued: tuple[ApiKey, str]) -> None:
        with pytest.raises(api_keys.ExpiredKey):
            api_keys.authenticate(secret=issued[1], at=AT + timedelta(days=1))

    def test_a_test_key_opens_no_production_desk(
        self, issued: tuple[ApiKey, str], settings: Settings
    ) -> None:
        settings.MODE = "production"

        with pytest.raises(api_keys.InvalidKey):
            api_keys.authenticate(secret=issued[1], at=AT)


def test_a_revocation_keeps_its_first_time_and_one_entry(issued: tuple[ApiKey, str]) -> None:
    api_keys.revoke(key_id=issued[0].pk, actor=None, at=later(1))

    api_keys.revoke(key_id=issued[0].pk, actor=None, at=later(9))

    assert ApiKey.objects.get().revoked_at == later(1)
    assert AuditEntry.objects.filter(action="key.revoked").count() == 1
