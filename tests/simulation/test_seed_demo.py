"""manage.py seed_demo: what the demonstration signs in with, and where it must never be."""

import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from moderation.models import ApiKey, Platform, User
from moderation.models.platforms import Collecting, Scope
from moderation.operations.accounts import api_keys

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def state(settings: Settings, tmp_path: Path) -> Path:
    settings.STATE_DIR = tmp_path
    return tmp_path


def seed() -> str:
    """Run the command and return what it printed."""
    said = StringIO()
    call_command("seed_demo", stdout=said)
    return said.getvalue()


def secret(state: Path) -> str:
    """Return the kept key."""
    return (state / "secrets" / "demo-api-key").read_text().strip()


def test_makes_accounts_platform_and_key(state: Path) -> None:
    seed()

    roles = dict(User.objects.values_list("username", "role"))
    key = api_keys.authenticate(secret=secret(state), at=timezone.now())
    assert roles == {"moderator": "moderator", "lead": "lead", "ml": "ml_engineer", "admin": "admin"}
    assert all(user.check_password("demo") for user in User.objects.all())
    assert [user.username for user in User.objects.filter(is_superuser=True)] == ["admin"]
    assert (key.platform.slug, key.scopes) == ("demo-social", Scope.values)


def test_repeating_keeps_key_and_passwords(state: Path) -> None:
    seed()
    first = secret(state)
    lead = User.objects.get(username="lead")
    lead.set_password("changed")
    lead.save()

    seed()

    assert secret(state) == first
    assert ApiKey.objects.count() == 1
    assert User.objects.get(username="lead").check_password("changed")


@pytest.mark.parametrize(("port", "collects"), [(0, Collecting.OFF), (8002, Collecting.ON)])
def test_what_its_posts_lead_to_is_collected_where_it_is_served(
    port: int, collects: Collecting, settings: Settings, state: Path
) -> None:
    settings.SIMULATED_WEB_PORT = port

    seed()

    assert Platform.objects.get(slug="demo-social").collects_evidence == collects


def test_an_administrator_keeps_the_last_word_on_collecting(settings: Settings, state: Path) -> None:
    seed()
    settings.SIMULATED_WEB_PORT = 8002

    seed()

    assert Platform.objects.get(slug="demo-social").collects_evidence == Collecting.OFF


def test_a_lost_key_is_replaced_and_revoked(state: Path) -> None:
    seed()
    first = secret(state)
    (state / "secrets" / "demo-api-key").unlink()

    seed()

    assert api_keys.authenticate(secret=secret(state), at=timezone.now())
    with pytest.raises(api_keys.RevokedKey):
        api_keys.authenticate(secret=first, at=timezone.now())


def test_starts_with_a_platform_that_somebody_switched_off(state: Path) -> None:
    seed()
    first = secret(state)
    Platform.objects.update(off_at=timezone.now())

    seed()

    assert secret(state) == first


def test_a_key_of_another_database_is_replaced(state: Path) -> None:
    seed()
    Platform.objects.all().delete()

    seed()

    assert api_keys.authenticate(secret=secret(state), at=timezone.now()).platform.slug == "demo-social"


def test_only_the_owner_reads_the_key_and_nobody_sees_it(state: Path) -> None:
    said = seed()

    assert stat.S_IMODE((state / "secrets" / "demo-api-key").stat().st_mode) == 0o600
    assert secret(state) not in said
    assert "sk_" not in said


def test_refused_in_production(settings: Settings, state: Path) -> None:
    settings.IS_PRODUCTION = True

    with pytest.raises(CommandError, match="demo and test mode only"):
        seed()

    assert not User.objects.exists()
    assert not ApiKey.objects.exists()
    assert not (state / "secrets").exists()
