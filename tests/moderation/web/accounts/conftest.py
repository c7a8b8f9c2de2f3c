"""A user who signs in, and an administrator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from moderation.models import User
from moderation.models.users import Role
from tests.moderation.web.accounts.attempts import RIGHT


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("moderator", password=RIGHT)


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN)


@pytest.fixture
def admin_desk(admin: User, desk_of: Callable[[User], Client]) -> Client:
    return desk_of(admin)
