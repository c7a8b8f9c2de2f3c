"""Platforms, their webhook endpoints and API keys, as administrators manage them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from moderation.models import ApiKey, AuditEntry, Platform
from moderation.operations.accounts import api_keys


def shown_secret(answer: Any) -> str:
    return str(answer.context["secret"])


class TestPlatforms:
    def test_are_taken_on(self, admin_desk: Client) -> None:
        answer = admin_desk.post("/platforms/", {"name": "Chat", "slug": "chat"})

        assert answer.headers["Location"] == f"/platforms/{Platform.objects.get().pk}/"
        assert AuditEntry.objects.get().action == "platform.registered"

    def test_are_refused_under_a_name_that_is_taken(self, admin_desk: Client, platform: Platform) -> None:
        assert admin_desk.post("/platforms/", {"name": "Two", "slug": "social"}).status_code == 422
        assert Platform.objects.count() == 1

    def test_are_renamed(self, admin_desk: Client, platform: Platform) -> None:
        admin_desk.post(f"/platforms/{platform.pk}/", {"name": "Other"})

        platform.refresh_from_db()
        assert platform.name == "Other"

    def test_say_when_the_filter_removes_by_itself(self, admin_desk: Client, platform: Platform) -> None:
        address = f"/platforms/{platform.pk}/removal/"

        answers = [admin_desk.post(address, {"removal": value}).status_code for value in ("never", "at will")]

        platform.refresh_from_db()
        entry = AuditEntry.objects.get(action="platform.removal_chosen")
        page = admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
        assert (answers, platform.removal, entry.details["removal"]) == ([302, 422], "never", "never")
        assert "A person decides every removal, proven or not." in page


class TestEndpoints:
    @pytest.fixture(autouse=True)
    def _any_address(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No name is resolved in a test; the guard has tests of its own."""
        monkeypatch.setattr("moderation.operations.infrastructure.egress.check", lambda _url: None)

    def add(self, desk: Client, platform: Platform, url: str = "https://chat.example/hook") -> Any:
        return desk.post(f"/platforms/{platform.pk}/endpoints/", {"url": url})

    def test_get_a_secret_shown_once(self, admin_desk: Client, platform: Platform) -> None:
        answer = self.add(admin_desk, platform)

        secret = shown_secret(answer)
        assert Webhook(secret).sign(msg_id="1", timestamp=timezone.now(), data="x")
        assert "no-store" in answer.headers["Cache-Control"]
        later = admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
        assert "chat.example" in later
        assert secret not in later
        assert secret not in str(AuditEntry.objects.get().details)

    def test_get_a_new_secret_beside_the_old_one(self, admin_desk: Client, platform: Platform) -> None:
        first = shown_secret(self.add(admin_desk, platform))
        endpoint = platform.webhook_endpoints.get()

        second = shown_secret(admin_desk.post(f"/endpoints/{endpoint.pk}/secret/"))

        assert first != second
        assert endpoint.secrets.count() == 2

    def test_are_removed(self, admin_desk: Client, platform: Platform) -> None:
        self.add(admin_desk, platform)

        admin_desk.post(f"/endpoints/{platform.webhook_endpoints.get().pk}/remove/")

        assert platform.webhook_endpoints.get().state == "removed"

    @pytest.mark.parametrize("url", ["", "not an address", "javascript:alert(1)"])
    def test_need_an_address(self, admin_desk: Client, platform: Platform, url: str) -> None:
        assert self.add(admin_desk, platform, url).status_code == 422

    def test_need_tls_in_production(self, admin_desk: Client, platform: Platform, settings: Any) -> None:
        settings.IS_PRODUCTION, settings.SECURE_SSL_REDIRECT = True, False

        assert self.add(admin_desk, platform, "http://chat.example/hook").status_code == 422


class TestKeys:
    def issue(self, desk: Client, platform: Platform, **given: Any) -> Any:
        form = {"name": "ingest", "scopes": ["posts:write"], "days": "90"}
        return desk.post(f"/platforms/{platform.pk}/keys/", form | given)

    def test_are_accepted_until_revoked(self, admin_desk: Client, platform: Platform) -> None:
        secret = shown_secret(self.issue(admin_desk, platform))
        at = timezone.now()

        key = api_keys.authenticate(secret=secret, at=at)
        assert key.scopes == ["posts:write"]
        assert secret not in admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
        admin_desk.post(f"/keys/{key.pk}/revoke/")

        with pytest.raises(api_keys.RevokedKey):
            api_keys.authenticate(secret=secret, at=at)

    def test_end_by_themselves(self, admin_desk: Client, platform: Platform) -> None:
        secret = shown_secret(self.issue(admin_desk, platform))

        with pytest.raises(api_keys.ExpiredKey):
            api_keys.authenticate(secret=secret, at=timezone.now() + timedelta(days=91))

    @pytest.mark.parametrize(
        "given", [{"name": ""}, {"scopes": []}, {"scopes": ["everything"]}, {"days": "7"}]
    )
    def test_need_a_name_and_a_scope(self, admin_desk: Client, platform: Platform, given: Any) -> None:
        assert self.issue(admin_desk, platform, **given).status_code == 422
        assert not ApiKey.objects.exists()
