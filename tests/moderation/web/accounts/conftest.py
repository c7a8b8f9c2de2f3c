"""A user who signs in."""

import pytest

from moderation.models import User
from tests.moderation.web.accounts.attempts import RIGHT


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("moderator", password=RIGHT)
