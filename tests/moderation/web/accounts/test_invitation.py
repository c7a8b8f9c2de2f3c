"""Invitations: a link that sets name and password once."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from moderation.models import AuditEntry, User
from moderation.queries.accounts.users import is_in_hands_of
from tests.moderation.instants import AT

PASSWORD = "a quiet harbour at dusk"
CHOSEN = {"username": "nadia", "first_name": "Nadia", "new_password1": PASSWORD, "new_password2": PASSWORD}


@pytest.fixture
def link(admin_desk: Client) -> str:
    """Invite somebody where no mail is sent; return the path of the link that is shown."""
    answer = admin_desk.post("/users/invite/", {"address": "nadia@example.org", "role": "lead"})
    return str(answer.context["link"]).removeprefix("http://testserver")


class TestInvitation:
    def test_sets_name_and_password_and_works_once(self, link: str, client: Client) -> None:
        assert client.get(link).status_code == 200
        assert not User.objects.get(email="nadia@example.org").is_active

        assert client.post(link, CHOSEN).headers["Location"] == "/sign-in/"

        entry = {"username": "nadia", "password": PASSWORD}
        assert client.post("/sign-in/", entry).status_code == 302
        user = User.objects.get(username="nadia")
        assert (user.role, user.first_name, user.must_change_password) == ("lead", "Nadia", False)
        assert [client.get(link).status_code, client.post(link, CHOSEN).status_code] == [410, 410]
        acts = set(AuditEntry.objects.filter(subject_id=str(user.pk)).values_list("action", flat=True))
        assert {"user.invited", "user.invitation_accepted"} <= acts

    def test_goes_by_mail_where_one_is_configured(self, admin_desk: Client, settings: Any) -> None:
        settings.EMAIL_HOST = "mail.example"

        answer = admin_desk.post("/users/invite/", {"address": "nadia@example.org", "role": "lead"})

        [message] = mail.outbox
        assert message.to == ["nadia@example.org"]
        assert re.search(r"http://testserver/invitation/[0-9]+-\S+", str(message.body))
        assert answer.status_code == 302  # the page shows no link

    @pytest.mark.parametrize("name", ["example", "ä" * 60], ids=["no answer", "no address"])
    def test_is_shown_where_no_mail_is_sent(self, name: str, admin_desk: Client, settings: Any) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

        answer = admin_desk.post("/users/invite/", {"address": f"nadia@{name}.org", "role": "lead"})

        assert answer.context["link"]

    @pytest.mark.parametrize("how", ["wrong", "nobody", "taken back", "renewed", "old"])
    def test_tells_nothing_about_a_link_that_does_not_work(
        self, how: str, link: str, admin_desk: Client, client: Client, settings: Any
    ) -> None:
        user = User.objects.get(email="nadia@example.org")
        if how == "wrong":
            link = f"{link[:-2]}x/"
        elif how == "nobody":
            link = link.replace(f"/{user.pk}-", "/999999-")
        elif how == "taken back":
            admin_desk.post(f"/users/{user.pk}/uninvite/")
            assert not User.objects.filter(pk=user.pk).exists()
            assert AuditEntry.objects.filter(action="user.invitation_revoked").exists()
        elif how == "renewed":
            admin_desk.post("/users/invite/", {"address": user.email, "role": "moderator"})
        else:
            settings.PASSWORD_RESET_TIMEOUT = -1

        answers = [client.get(link), client.post(link, CHOSEN)]

        assert [answer.status_code for answer in answers] == [410, 410]
        assert "This link has been used or has expired" in answers[0].content.decode()
        assert not User.objects.filter(username="nadia").exists()

    @pytest.mark.parametrize(
        "wrong",
        [{"username": "ａdmin"}, {"username": "a b"}, {"new_password2": "other"}, {"first_name": PASSWORD}],
        ids=["taken, in wide letters", "no name", "typed otherwise", "like the name"],
    )
    def test_asks_again(self, wrong: dict[str, str], link: str, client: Client) -> None:
        assert client.post(link, CHOSEN | wrong).status_code == 422
        assert client.post(link, CHOSEN).status_code == 302

    @pytest.mark.parametrize("address", ["nadia", "Admin@example.org"])
    def test_needs_an_address_that_nobody_has(self, address: str, admin_desk: Client, admin: User) -> None:
        User.objects.filter(pk=admin.pk).update(email="admin@example.org")

        answer = admin_desk.post("/users/invite/", {"address": address, "role": "lead"})

        assert answer.status_code == 422

    def test_makes_no_second_person_of_who_sent_it(self, link: str, admin: User) -> None:
        assert is_in_hands_of(admin.pk, account=User.objects.latest("pk"), since=AT)
