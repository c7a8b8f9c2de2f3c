"""What production refuses: accounts of the demonstration; and what the system check names."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import checks
from moderation.evidence import reader
from moderation.models import User
from moderation.operations.accounts import demo
from tests.moderation.evidence import hostile_child


@pytest.fixture
def production(db: None, settings: Any) -> None:
    """A production installation whose database was a demonstration's."""
    demo.demo(at=datetime(2026, 3, 1, tzinfo=UTC))
    settings.IS_PRODUCTION = True


class TestDemoAccounts:
    def test_keep_production_down(self, production: None) -> None:
        with pytest.raises(ImproperlyConfigured, match="admin, lead, ml, moderator"):
            checks.refuse_demo_accounts()

    def test_are_found_by_the_system_check(self, production: None) -> None:
        found = checks.no_demo_accounts(databases=["default"])

        assert [error.id for error in found] == ["spamdesk.E001"] * 4
        assert checks.no_demo_accounts(databases=None) == []

    def test_are_no_matter_once_closed_or_changed(self, production: None) -> None:
        User.objects.filter(username__in=("admin", "lead", "ml")).update(is_active=False)
        moderator = User.objects.get(username="moderator")
        moderator.set_password("something-of-their-own")
        moderator.save()

        checks.refuse_demo_accounts()
        assert checks.no_demo_accounts(databases=["default"]) == []

    def test_are_welcome_in_a_demonstration(self, production: None, settings: Any) -> None:
        settings.IS_PRODUCTION = False

        checks.refuse_demo_accounts()


def test_providers_that_could_never_be_called_are_named(settings: Any) -> None:
    settings.RDAP_URL, settings.EGRESS_PRIVATE_HOSTS = "http://127.0.0.1:9/", ()

    [warning] = checks.providers_can_be_called()

    assert "SPAMDESK_RDAP_URL" in str(warning.msg)
    settings.EGRESS_PRIVATE_HOSTS = ("127.0.0.1",)
    assert checks.providers_can_be_called() == []


def test_a_kernel_that_jails_no_reader_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.readers_are_jailed() == []

    monkeypatch.setattr(reader, "_CHILD", hostile_child.WITHOUT_JAIL)
    [warning] = checks.readers_are_jailed()
    assert "landlock and seccomp" in warning.msg
