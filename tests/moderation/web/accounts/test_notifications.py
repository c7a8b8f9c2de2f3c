"""What people are told: chosen on Preferences, shown on every open page until it is put away."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from moderation.models import Notification, NotificationChoices, User
from moderation.models.notifications import NotificationKind
from moderation.operations.notifications import notify
from tests.moderation.web.conftest import HTMX, asked, read

CHOSEN = {
    "told": ["escalation.browser", "escalation.mail", "appeal.chat"],
    "mail": "lead@example.org",
    "chat": "https://hooks.example/services/secret",
    "quiet_from": "22:00",
    "quiet_until": "07:00",
}
PAGE, CHANGE, POLL = "/account/preferences/", "/account/notifications/", "/notifications/"


@pytest.fixture
def _has_mail(settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"


def escalated(*subjects: int) -> None:
    with transaction.atomic():
        for subject in subjects:
            notify.write(kind=NotificationKind.ESCALATION, subject=subject, at=timezone.now())


@pytest.mark.usefixtures("_has_mail")
class TestChoices:
    def test_are_kept_and_the_chats_address_encrypted(self, lead_desk: Client) -> None:
        lead_desk.cookies["time_zone"] = "Europe/Berlin"

        lead_desk.post(CHANGE, CHOSEN, headers={"Accept-Language": "de"})

        choices = NotificationChoices.objects.get()
        assert choices.told_by("escalation") == ["browser", "mail"]
        assert choices.told_by("appeal") == ["chat"]
        assert choices.told_by("drift") == []
        assert (choices.language, choices.desk) == ("de", "http://testserver/")
        assert "secret" not in choices.chat_address
        page = read(lead_desk, PAGE)
        assert 'value="escalation.mail" checked' in page
        assert 'value="drift.browser" checked' not in page
        for shown in ("lead@example.org", "https://hooks.example/services/secret", "22:00"):
            assert f'value="{shown}"' in page
        assert "Quiet hours are in Europe/Berlin." in page

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"mail": ""}, "needs this address"),
            ({"chat": ""}, "needs this address"),
            ({"chat": "http://127.0.0.1/"}, "cannot be called"),
            ({"mail": "x@example.org\nBcc: y@example.org"}, "valid email"),
            ({"quiet_until": ""}, "a beginning and an end"),
            ({"told": ["escalation.pigeon"]}, ""),
        ],
    )
    def test_refuse_what_cannot_be(self, lead_desk: Client, change: dict[str, Any], words: str) -> None:
        answer = lead_desk.post(CHANGE, CHOSEN | change)

        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert not NotificationChoices.objects.exists()

    def test_offer_what_concerns_the_role(self, desk: Client, ml_desk: Client) -> None:
        assert "escalation." not in read(desk, PAGE)
        assert "mention.browser" in read(desk, PAGE)
        assert "training.browser" in read(ml_desk, PAGE)
        assert desk.post(CHANGE, CHOSEN).status_code == 422

    def test_leave_mail_out_where_nothing_sends_it(self, lead_desk: Client, settings: Settings) -> None:
        settings.EMAIL_HOST = ""
        User.objects.update(email="kept@example.org")

        assert "escalation.mail" not in read(lead_desk, PAGE)
        lead_desk.post(CHANGE, CHOSEN | {"told": ["escalation.browser"], "mail": ""})

        assert User.objects.get().email == "kept@example.org"


class TestWaiting:
    def test_is_summed_up_until_it_is_put_away(self, lead_desk: Client, desk: Client) -> None:
        escalated(1, 2, 3)

        page = read(lead_desk, POLL)
        until = Notification.objects.latest("pk").pk
        assert f'<a href="/queue/" data-newest="{until}">3 cases were escalated</a>' in page
        assert "escalated" not in read(desk, POLL)

        escalated(812)
        page = lead_desk.post("/notifications/put-away/", {"until": until}, headers=HTMX).content.decode()

        assert f'<a href="/review/812/" data-newest="{until + 1}">1 case was escalated</a>' in page

    def test_is_swapped_only_where_something_is_new(self, lead_desk: Client) -> None:
        escalated(1)
        until = Notification.objects.get().pk

        assert "HX-Reswap" not in lead_desk.get(POLL).headers
        assert lead_desk.get(POLL, {"until": until}).headers["HX-Reswap"] == "none"

    def test_is_silent_in_quiet_hours_and_for_another_role(self, lead_desk: Client, lead: User) -> None:
        escalated(1)
        now = timezone.now()
        quiet = NotificationChoices.objects.create(
            user=lead, quiet_from=now.time(), quiet_until=now.replace(hour=(now.hour + 2) % 24).time()
        )
        assert "escalated" not in read(lead_desk, POLL)

        quiet.delete()
        assert "escalated" in read(lead_desk, POLL)

        User.objects.update(role="moderator")
        assert "escalated" not in read(lead_desk, POLL)

    def test_needs_few_queries(self, lead_desk: Client) -> None:
        escalated(*range(20))

        assert len(asked(lead_desk, POLL)) <= 6
