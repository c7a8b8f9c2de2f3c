"""manage.py create_api_key: the secret once, on standard output alone."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from moderation.models import ApiKey, AuditEntry, Platform
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys


def create(*arguments: str) -> str:
    """Run the command and return what it printed for programs."""
    said = StringIO()
    call_command("create_api_key", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue().strip()


def test_prints_a_key_that_the_api_accepts(platform: Platform) -> None:
    secret = create("social", "--name", "ingest", "--scope", "posts:write", "--days", "30")

    key = api_keys.authenticate(secret=secret, at=timezone.now())
    assert (key.platform, key.name, key.scopes) == (platform, "ingest", ["posts:write"])
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - timezone.now() < timedelta(days=31)


def test_may_do_everything_for_ever_unless_told(platform: Platform) -> None:
    create("social")

    key = ApiKey.objects.get()
    assert (key.scopes, key.expires_at) == (Scope.values, None)


@pytest.mark.django_db
def test_registers_a_platform_on_the_way() -> None:
    create("acme-social", "--register", "Acme Social")

    assert Platform.objects.get().name == "Acme Social"
    assert set(AuditEntry.objects.values_list("action", flat=True)) == {"platform.registered", "key.issued"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), "no platform 'nobody'"),
        (("Acme Social", "--register", "Acme"), "small letters"),
        (("social", "--days", "0"), "from 1 to 3650"),
        (("social", "--scope", "everything"), "invalid choice"),
    ],
)
def test_refuses_with_the_cure(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        create(*arguments)

    assert not ApiKey.objects.exists()
