"""Promise: in production no script and no other site gets hold of a cookie, and none travels in the clear."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from moderation.models import User
from tests.production import settings_like

PASSWORD = "right-and-long-enough"


@pytest.fixture
def production(settings: Any) -> None:
    """The cookie settings of a process in production mode, read by such a process."""
    for name, value in settings_like("_COOKIE_").items():
        setattr(settings, name, value)


def test_every_cookie_that_signing_in_sets_is_closed(production: None, db: None) -> None:
    User.objects.create_user("moderator", password=PASSWORD)
    client = Client()
    seen = dict(client.get("/sign-in/", secure=True).cookies)
    seen |= client.post("/sign-in/", {"username": "moderator", "password": PASSWORD}, secure=True).cookies
    seen |= client.post("/language/", {"language": "de", "next": "/account/"}, secure=True).cookies

    assert {"__Host-sessionid", "__Host-csrftoken", "__Host-device", "django_language"} <= set(seen)
    for name, cookie in seen.items():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax"), name
        assert cookie["domain"] == "", name
