"""What a key does in Akismet's calls, and its aliases, on the page of its platform."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import ApiKey, AuditEntry, Platform, User
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from tests.moderation.web.accounts.test_admin_forms import shown_secret


@pytest.fixture
def key(platform: Platform) -> ApiKey:
    return api_keys.issue(
        platform=platform, name="blog", scopes=Scope.values, expires_at=None, at=timezone.now()
    )[0]


def test_aliases_are_shown_once_and_revoked(admin_desk: Client, platform: Platform, key: ApiKey) -> None:
    answer = admin_desk.post(f"/keys/{key.pk}/aliases/", {"site": "https://Blog.example/news"})

    assert re.fullmatch(r"[0-9a-f]{12}", shown_secret(answer))
    page = admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
    assert "Alias for blog.example" in page
    assert shown_secret(answer) not in page
    admin_desk.post(f"/aliases/{key.akismet_aliases.get().pk}/revoke/")
    assert "Alias for blog.example" not in admin_desk.get(f"/platforms/{platform.pk}/").content.decode()


def test_alias_and_switches_take_what_is_offered(admin_desk: Client, key: ApiKey) -> None:
    for site in ("", "not a site", "javascript:alert(1)"):
        admin_desk.post(f"/keys/{key.pk}/aliases/", {"site": site})
    for given in ({"pending_hours": "5"}, {"pending_hours": "4", "decides_as": "0"}):
        admin_desk.post(f"/keys/{key.pk}/akismet/", given)

    key.refresh_from_db()
    assert (key.akismet_aliases.count(), key.pending_hours) == (0, None)


def test_switches_are_set_and_logged(admin_desk: Client, key: ApiKey, moderator: User) -> None:
    given = {"pending_hours": "72", "decides_as": str(moderator.pk)}

    admin_desk.post(f"/keys/{key.pk}/akismet/", given)

    key.refresh_from_db()
    assert (key.pending_hours, key.submissions_decide, key.acts_as) == (72, True, moderator)
    details = AuditEntry.objects.get(action="key.changed").details
    assert details["before"] == {"pending_hours": None, "submissions_decide": False, "acts_as_id": None}
    page = admin_desk.get(f"/platforms/{key.platform_id}/").content.decode()
    assert '<option value="72" selected>' in page
    assert re.search(rf'value="{moderator.pk}"\s+selected', page)
    admin_desk.post(f"/keys/{key.pk}/akismet/", {})
    key.refresh_from_db()
    assert (key.pending_hours, key.submissions_decide) == (None, False)
