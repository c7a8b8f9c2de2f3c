"""Messages to people: summed up, at most once, late where the server is away, silent in quiet hours."""

import json
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

import pytest
from django.utils import timezone

from moderation import tasks
from moderation.models import Notification, NotificationChoices, Platform, User
from moderation.models.notifications import NotificationKind
from moderation.models.users import Role
from moderation.operations.infrastructure import egress
from moderation.operations.notifications import carriers, send
from moderation.operations.notifications.notify import GATHER_SECONDS
from moderation.operations.notifications.wording import Message
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import in_thread
from tests.moderation.operations.notifications import mail_server
from tests.moderation.operations.notifications.conftest import Happen
from tests.moderation.operations.notifications.mail_server import MailServer
from tests.moderation.receiver import Receiver

Turn = Callable[[str, datetime], int]
ESCALATION, APPEAL = NotificationKind.ESCALATION, NotificationKind.APPEAL
DRIFT, TRAINING = NotificationKind.DRIFT, NotificationKind.TRAINING


@pytest.fixture
def turn(choices: NotificationChoices) -> Turn:
    """Send what waits for the lead on a channel at an instant."""
    return lambda channel, at: send.run(user_id=choices.user_id, channel=channel, at=at)


def states() -> set[str]:
    return set(Notification.objects.values_list("state", flat=True))


class TestMail:
    def test_sums_up_what_happens_together(self, turn: Turn, mail: MailServer, happen: Happen) -> None:
        happen(ESCALATION, at=AT, times=12)

        assert turn("mail", later(GATHER_SECONDS - 1)) == 0
        assert turn("mail", later(GATHER_SECONDS)) == 12
        assert turn("mail", later(GATHER_SECONDS + 1)) == 0

        [message] = mail.got
        assert message["subject"] == "Spamdesk: 12 cases were escalated"
        assert (message["to"], message["from"]) == ("lead@example.org", "desk@example.org")
        assert message["auto-submitted"] == "auto-generated"
        body = message.get_payload()
        assert "12 cases were escalated: https://desk.example/queue/" in body
        assert "https://desk.example/account/preferences/" in body

    def test_names_the_one_case_and_speaks_the_readers_language(
        self, turn: Turn, mail: MailServer, happen: Happen
    ) -> None:
        NotificationChoices.objects.update(language="de")
        happen(ESCALATION, at=AT, first=812)

        turn("mail", later(60))

        assert mail.got[0]["subject"] == "Spamdesk: 1 Fall wurde weitergereicht"
        assert "https://desk.example/review/812/" in mail.got[0].get_payload()

    def test_pauses_after_messages_about_the_same(self, turn: Turn, mail: MailServer, happen: Happen) -> None:
        happen(ESCALATION, at=AT)
        turn("mail", later(60))
        happen(ESCALATION, at=later(60), times=3, first=2)
        happen(TRAINING, at=later(60))

        assert turn("mail", later(100)) == 1
        assert turn("mail", later(700)) == 3

        assert [one["subject"] for one in mail.got] == [
            "Spamdesk: 1 case was escalated",
            "Spamdesk: 1 training run has ended",
            "Spamdesk: 3 cases were escalated",
        ]

    def test_bears_hostile_names(self, turn: Turn, mail: MailServer, chat: Receiver, happen: Happen) -> None:
        name = "Evil\r\nBcc: all@example.org <!channel> [x](http://evil.example)"
        happen(DRIFT, at=AT, platform_id=Platform.objects.create(slug="evil", name=name, created_at=AT).pk)

        turn("mail", later(60))
        turn("chat", later(60))

        assert mail.got[0]["bcc"] is None
        plain = "Evil Bcc all example.org channel x http evil.example: 1 drift alarm"
        assert mail.got[0]["subject"] == f"Spamdesk: {plain}"
        text = json.loads(chat.got[0][1])["text"]
        assert text == f"{plain}: https://desk.example/quality/drift/"


class TestOnce:
    def test_waits_for_a_server_that_is_away_and_loses_nothing(
        self, turn: Turn, mail: MailServer, happen: Happen
    ) -> None:
        mail.shutdown()
        mail.server_close()
        happen(ESCALATION, at=AT)
        assert turn("mail", later(60)) == 1
        happen(ESCALATION, at=later(70), first=2)
        assert turn("mail", later(110)) == 0

        with mail_server.listening(mail.server_address[1]) as back:
            assert turn("mail", later(120)) == 2
            assert turn("mail", later(4_000)) == 0

        assert len(back.got) == 1
        assert states() == {"sent"}

    @pytest.mark.parametrize(
        ("channel", "status", "state"),
        [
            ("mail", 451, "waiting"),
            ("mail", 550, "failed"),
            ("chat", 503, "waiting"),
            ("chat", 429, "waiting"),
            ("chat", 404, "failed"),
        ],
    )
    def test_is_tried_again_only_where_that_helps(
        self, turn: Turn, happen: Happen, request: Any, channel: str, status: int, state: str
    ) -> None:
        request.getfixturevalue(channel).status = status
        happen({"mail": ESCALATION, "chat": APPEAL}[channel], at=AT)

        turn(channel, later(60))

        assert states() == {state}

    def test_gives_up_after_the_last_attempt(self, turn: Turn, mail: MailServer, happen: Happen) -> None:
        mail.status = 451
        happen(ESCALATION, at=AT)

        for day in range(1, 9):
            turn("mail", AT + timedelta(days=day))

        assert states() == {"failed"}
        assert Notification.objects.get().attempts == 1 + len(send.RETRY_SECONDS)

    def test_is_not_sent_again_where_the_answer_was_lost(
        self, turn: Turn, mail: MailServer, happen: Happen
    ) -> None:
        mail.hangs_up = True
        happen(ESCALATION, at=AT)

        turn("mail", later(60))
        turn("mail", later(7_200))

        assert (len(mail.got), states()) == (1, {"failed"})

    def test_is_not_sent_again_after_a_kill(
        self, turn: Turn, happen: Happen, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[object] = []

        def killed(*what: object) -> None:
            sent.append(what)
            raise SystemExit

        monkeypatch.setattr(send, "CARRIERS", {"mail": killed})
        happen(ESCALATION, at=AT)
        with pytest.raises(SystemExit):
            turn("mail", later(60))

        assert turn("mail", later(61)) == 0
        assert send.sweep(at=later(400)) == 0

        assert (len(sent), states()) == (1, {"failed"})

    @pytest.mark.django_db(transaction=True)
    def test_is_sent_by_one_of_two_workers(self, turn: Turn, mail: MailServer, happen: Happen) -> None:
        happen(ESCALATION, at=AT, times=2)

        threads = [in_thread(lambda: turn("mail", later(60))) for _ in range(3)]
        for thread in threads:
            thread.join()

        assert (len(mail.got), states()) == (1, {"sent"})


class TestChat:
    def test_gets_the_text_that_chats_take(
        self, choices: NotificationChoices, chat: Receiver, happen: Happen
    ) -> None:
        now = timezone.now()
        happen(APPEAL, at=now - timedelta(minutes=1), times=2)

        tasks.send_notifications(user_id=choices.user_id, channel="chat")

        [(headers, body)] = chat.got
        assert headers["content-type"] == "application/json"
        assert json.loads(body) == {"text": "2 decisions were appealed: https://desk.example/appeals/"}

    def test_knows_a_call_that_was_never_made_from_a_lost_answer(
        self, choices: NotificationChoices, chat: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        message = Message(subject="x", lines=["x"], preferences="x")
        monkeypatch.setattr(egress, "TIMEOUT_SECONDS", 0.2)
        chat.wait_seconds = 0.5
        with pytest.raises(carriers.Undeliverable):
            carriers.CARRIERS["chat"](message, choices)
        chat.shutdown()
        chat.server_close()
        with pytest.raises(carriers.TryLater):
            carriers.CARRIERS["chat"](message, choices)


class TestQuietHours:
    def test_hold_everything_for_one_message_at_their_end(
        self, turn: Turn, mail: MailServer, happen: Happen
    ) -> None:
        NotificationChoices.objects.update(
            quiet_from=time(22), quiet_until=time(7), time_zone="Europe/Berlin"
        )
        night = datetime.fromisoformat("2026-01-10T23:30:00+01:00")
        morning = datetime.fromisoformat("2026-01-11T07:00:00+01:00")
        for hours, kind in enumerate((ESCALATION, TRAINING, DRIFT)):
            at = night + timedelta(hours=hours)
            happen(kind, at=at)
            assert turn("mail", at + timedelta(minutes=1)) == 0

        assert turn("mail", morning - timedelta(minutes=1)) == 0
        assert turn("mail", morning) == 3

        assert mail.got[0]["subject"] == "Spamdesk: 3 notifications"

    @pytest.mark.parametrize(
        ("since", "until", "zone", "at", "end"),
        [
            ("22:00", "07:00", "UTC", "2026-01-10T21:59Z", None),
            ("22:00", "07:00", "UTC", "2026-01-10T22:00Z", "2026-01-11T07:00Z"),
            ("22:00", "07:00", "UTC", "2026-01-11T06:59Z", "2026-01-11T07:00Z"),
            ("22:00", "07:00", "UTC", "2026-01-11T07:00Z", None),
            ("12:00", "13:00", "Africa/Cairo", "2026-01-10T10:30Z", "2026-01-10T11:00Z"),
            ("12:00", "13:00", "Africa/Cairo", "2026-01-10T12:30Z", None),
            # The night in which clocks go forward has an hour less.
            ("22:00", "07:00", "Europe/Berlin", "2026-03-28T22:00Z", "2026-03-29T05:00Z"),
            ("09:00", "09:00", "UTC", "2026-01-10T09:00Z", None),
        ],
    )
    def test_end_by_the_clock_on_the_wall(
        self, since: str, until: str, zone: str, at: str, end: str | None
    ) -> None:
        choices = NotificationChoices(
            quiet_from=time.fromisoformat(since), quiet_until=time.fromisoformat(until), time_zone=zone
        )

        found = choices.quiet_end(datetime.fromisoformat(at))

        assert found == (datetime.fromisoformat(end) if end else None)


class TestWhoIsTold:
    @pytest.mark.parametrize("change", [{"is_active": False}, {"role": Role.MODERATOR}])
    def test_is_nobody_who_left_or_lost_the_role(
        self, turn: Turn, mail: MailServer, happen: Happen, change: dict[str, object]
    ) -> None:
        happen(ESCALATION, at=AT)
        User.objects.update(**change)

        assert turn("mail", later(60)) == 0

        assert (mail.got, states()) == ([], {"unwanted"})

    def test_is_found_again_by_the_sweep(self, choices: NotificationChoices, happen: Happen) -> None:
        happen(TRAINING, at=AT)

        assert send.sweep(at=later(10)) == 0
        assert send.sweep(at=later(60)) == 2
        assert send.sweep(at=AT + timedelta(days=31)) == 0
        assert not Notification.objects.exists()
