"""Users, as administrators manage them."""

from __future__ import annotations

from django.test import Client

from moderation.models import AuditEntry, Case, User
from moderation.models.users import Role


class TestPeople:
    def test_are_taken_on_with_a_password_to_change(self, admin_desk: Client, client: Client) -> None:
        answer = admin_desk.post("/users/", {"username": "nadia", "role": "lead"})

        password = answer.context["password"]
        assert client.post("/sign-in/", {"username": "nadia", "password": password}).status_code == 302
        assert client.get("/queue/").headers["Location"] == "/account/"
        assert password not in admin_desk.get("/users/").content.decode()

    def test_are_refused_under_a_name_that_is_taken(self, admin_desk: Client) -> None:
        assert admin_desk.post("/users/", {"username": "admin", "role": "lead"}).status_code == 422

    def test_get_another_role_at_once(self, admin_desk: Client, desk: Client, moderator: User) -> None:
        assert desk.get("/rules/").status_code == 403

        admin_desk.post(f"/users/{moderator.pk}/", {"role": "lead"})

        assert desk.get("/rules/").status_code == 200
        assert AuditEntry.objects.get(action="user.changed").details == {"role": "lead", "was": "moderator"}

    def test_hand_their_cases_back_when_closed(
        self, admin_desk: Client, case_in_front: Case, moderator: User
    ) -> None:
        admin_desk.post(f"/users/{moderator.pk}/switch/")

        case_in_front.refresh_from_db()
        moderator.refresh_from_db()
        assert (case_in_front.claimed_by, moderator.is_active) == (None, False)

        admin_desk.post(f"/users/{moderator.pk}/switch/", {"active": "1"})
        moderator.refresh_from_db()
        assert moderator.is_active

    def test_cannot_lock_themselves_out(self, admin_desk: Client, admin: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN)

        admin_desk.post(f"/users/{admin.pk}/switch/")
        admin_desk.post(f"/users/{admin.pk}/", {"role": "moderator"})

        admin.refresh_from_db()
        assert (admin.is_active, admin.role) == (True, Role.ADMIN)

    def test_get_a_new_password(self, admin_desk: Client, moderator: User, client: Client) -> None:
        password = admin_desk.post(f"/users/{moderator.pk}/reset/").context["password"]

        assert client.post("/sign-in/", {"username": "moderator", "password": password}).status_code == 302


def test_closing_an_account_asks_first(admin_desk: Client, moderator: User) -> None:
    body = admin_desk.get("/users/").content.decode()

    assert f'data-opens="close-{moderator.pk}"' in body
    assert "Deactivate the account of moderator?" in body
