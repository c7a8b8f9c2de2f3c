"""People: never nobody left who can let people in."""

from __future__ import annotations

import pytest

from moderation.models import User
from moderation.models.users import Role
from moderation.operations.accounts import users
from moderation.operations.accounts.users import Profile
from tests.moderation.instants import AT

AS_MODERATOR = Profile(first_name="", last_name="", role=Role.MODERATOR)


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN)


class TestLastAdministrator:
    def test_stays(self, admin: User, lead: User) -> None:
        with pytest.raises(users.LastAdministrator):
            users.change(user_id=admin.pk, profile=AS_MODERATOR, actor=lead, at=AT)
        with pytest.raises(users.LastAdministrator):
            users.deactivate(user_id=admin.pk, actor=lead, at=AT)

    def test_may_go_when_another_is_there(self, admin: User, lead: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN)

        users.deactivate(user_id=admin.pk, actor=lead, at=AT)

        admin.refresh_from_db()
        assert not admin.is_active

    def test_is_not_counted_when_closed(self, admin: User, lead: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN, is_active=False)

        with pytest.raises(users.LastAdministrator):
            users.deactivate(user_id=admin.pk, actor=lead, at=AT)


class TestCreate:
    def test_refuses_a_name_that_is_taken(self, admin: User) -> None:
        with pytest.raises(users.NameTaken):
            users.create(username="admin", profile=AS_MODERATOR, actor=admin, at=AT)

    def test_gives_a_password_that_nobody_guesses(self, admin: User) -> None:
        made = [users.create(username=f"n{n}", profile=AS_MODERATOR, actor=admin, at=AT)[1] for n in range(3)]

        assert len(set(made)) == 3
        assert all(len(password) == 16 for password in made)
