"""Bring one message to somebody by mail or to a chat, and say for sure whether it may be tried again."""

import json
import smtplib
from collections.abc import Callable, Mapping

import httpcore
from django.core import mail

from moderation.models.notifications import Channel, NotificationChoices
from moderation.operations.infrastructure import egress, vault
from moderation.operations.notifications.wording import Message

_TRY_LATER = frozenset({408, 429})
_CERTAINLY_UNSENT = (httpcore.ConnectError, httpcore.ConnectTimeout, OSError)


class TryLater(Exception):
    """It certainly did not arrive; another attempt may succeed."""


class Undeliverable(Exception):
    """Another attempt would not help, or could bring it twice: the answer was lost."""


def _by_mail(message: Message, choices: NotificationChoices) -> None:
    connection = mail.get_connection()
    try:
        connection.open()
    except (OSError, smtplib.SMTPException) as failure:
        raise TryLater(type(failure).__name__) from failure
    try:
        mail.EmailMessage(
            subject=message.subject,
            body="\n".join((*message.lines, "", message.preferences, "")),
            to=[choices.user.email],
            headers={"Auto-Submitted": "auto-generated"},  # RFC 3834: answering machines are silent
            connection=connection,
        ).send()
    except smtplib.SMTPRecipientsRefused as refusal:
        raise _refused(max(code for code, _ in refusal.recipients.values())) from refusal
    except smtplib.SMTPResponseException as refusal:
        raise _refused(refusal.smtp_code) from refusal
    except (OSError, smtplib.SMTPException, ValueError) as failure:
        raise Undeliverable(type(failure).__name__) from failure
    finally:
        connection.close()


def _refused(code: int) -> TryLater | Undeliverable:
    """Return what a refusal by a mail server means: 4xx is for the moment, RFC 5321 §4.2.1."""
    return (TryLater if code < 500 else Undeliverable)(f"SMTP status {code}")


def _by_chat(message: Message, choices: NotificationChoices) -> None:
    try:
        answer = egress.request(
            "POST",
            url=vault.decrypt(choices.chat_address),
            body=json.dumps({"text": "\n".join(message.lines)}).encode(),
            headers={"content-type": "application/json", "user-agent": "Spamdesk-Notifications/1"},
        )
    except vault.MissingKey as missing:
        raise TryLater(str(missing)) from missing
    except egress.Refused as refused:
        raise Undeliverable(str(refused)) from refused
    except egress.Failed as failure:
        is_unsent = isinstance(failure.__cause__, _CERTAINLY_UNSENT)
        raise (TryLater if is_unsent else Undeliverable)(str(failure)) from failure
    if answer.status >= 500 or answer.status in _TRY_LATER:
        raise TryLater(f"HTTP status {answer.status}")
    if not 200 <= answer.status < 300:
        raise Undeliverable(f"HTTP status {answer.status}")


CARRIERS: Mapping[str, Callable[[Message, NotificationChoices], None]] = {
    Channel.MAIL.value: _by_mail,
    Channel.CHAT.value: _by_chat,
}
"""What brings a message on a channel. Each raises TryLater or Undeliverable."""
