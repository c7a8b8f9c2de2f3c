"""A lead who is told by mail and in a chat, and servers that really listen."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from django.db import transaction
from pytest_django import Settings

from moderation.models import NotificationChoices, User
from moderation.models.notifications import NotificationKind
from moderation.operations.infrastructure import vault
from moderation.operations.notifications import notify
from tests.moderation import receiver
from tests.moderation.operations.notifications import mail_server
from tests.moderation.operations.notifications.mail_server import MailServer
from tests.moderation.receiver import Receiver

Happen = Callable[..., None]


@pytest.fixture
def mail(settings: Settings) -> Iterator[MailServer]:
    with mail_server.listening() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.server_address[1]
        settings.DEFAULT_FROM_EMAIL, settings.EMAIL_TIMEOUT = "desk@example.org", 5
        yield server


@pytest.fixture
def chat(settings: Settings) -> Iterator[Receiver]:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
    with receiver.listening() as server:
        yield server


@pytest.fixture
def choices(lead: User, chat: Receiver) -> NotificationChoices:
    """What the lead chose: escalations by mail, appeals in the chat, training and drift by both."""
    lead.email = "lead@example.org"
    lead.save()
    both = ["mail", "chat"]
    return NotificationChoices.objects.create(
        user=lead,
        channels={"escalation": ["mail"], "appeal": ["chat"], "training": both, "drift": both},
        chat_address=vault.encrypt(chat.url),
        desk="https://desk.example/",
    )


@pytest.fixture
def happen() -> Happen:
    """Let something happen so many times at an instant."""

    def write(kind: NotificationKind, *, at: datetime, times: int = 1, first: int = 1, **given: int) -> None:
        with transaction.atomic():
            for subject in range(first, first + times):
                notify.write(kind=kind, subject=subject, at=at, **given)  # type: ignore[arg-type]  # a platform's id

    return write
