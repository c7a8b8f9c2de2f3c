"""A user who signs in, and passwords that cost no time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from moderation.models import User
from moderation.models.users import Role
from tests.moderation.web.accounts.attempts import RIGHT


@pytest.fixture(autouse=True)
def quick_hashes(settings: Any) -> None:
    """What is counted here does not depend on the second that a good hash takes."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("moderator", password=RIGHT)


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN)


@pytest.fixture
def admin_desk(admin: User, desk_of: Callable[[User], Client]) -> Client:
    return desk_of(admin)
