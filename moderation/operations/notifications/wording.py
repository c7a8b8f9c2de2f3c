"""The words of notifications: what happened, how often, and where the desk says more. No word of a post."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy, override

from moderation.models.notifications import NotificationChoices, NotificationKind
from moderation.queries.accounts.notifications import Happened

_MORE = {
    NotificationKind.ESCALATION: "queue",
    NotificationKind.MENTION: "mentions",
    NotificationKind.APPEAL: "appeals",
    NotificationKind.SPIKE: "today",
    NotificationKind.DRIFT: "drift",
    NotificationKind.ENDPOINT: "health",
    NotificationKind.REMOVAL: "quality",
    NotificationKind.TRAINING: "models",
}
"""The pages that say more."""
_SENTENCES = {
    NotificationKind.ESCALATION: ngettext_lazy("%(n)d case was escalated", "%(n)d cases were escalated", "n"),
    NotificationKind.MENTION: ngettext_lazy("%(n)d note names you", "%(n)d notes name you", "n"),
    NotificationKind.APPEAL: ngettext_lazy(
        "%(n)d decision was appealed", "%(n)d decisions were appealed", "n"
    ),
    NotificationKind.SPIKE: ngettext_lazy(
        "%(n)d spike of posts or removals", "%(n)d spikes of posts or removals", "n"
    ),
    NotificationKind.DRIFT: ngettext_lazy("%(n)d drift alarm", "%(n)d drift alarms", "n"),
    NotificationKind.ENDPOINT: ngettext_lazy(
        "%(n)d webhook endpoint does not answer", "%(n)d webhook endpoints do not answer", "n"
    ),
    NotificationKind.REMOVAL: ngettext_lazy(
        "Automatic removal has stopped", "Automatic removal has stopped %(n)d times", "n"
    ),
    NotificationKind.TRAINING: ngettext_lazy(
        "%(n)d training run has ended", "%(n)d training runs have ended", "n"
    ),
}
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent: a subject of one line, and lines each with a link."""

    subject: str
    lines: Sequence[str]
    preferences: str


def sentence(happened: Happened) -> str:
    """Say what happened in the active language."""
    words = str(_SENTENCES[happened.kind] % {"n": happened.number})
    return f"{_plain(happened.platform)}: {words}" if happened.platform else words


def page(happened: Happened) -> str:
    """Return the path of the page that says more: of one escalated case its own."""
    if happened.kind == NotificationKind.ESCALATION and happened.subject:
        return reverse("case", args=[happened.subject])
    return reverse(_MORE[happened.kind])


def message(happened: Sequence[Happened], *, choices: NotificationChoices) -> Message:
    """Return all of it as one message, in the language and with the links of its reader."""
    desk = choices.desk.rstrip("/")
    with override(choices.language):
        number = sum(one.number for one in happened)
        subject = ngettext("%(n)d notification", "%(n)d notifications", number) % {"n": number}
        return Message(
            subject=f"Spamdesk: {sentence(happened[0]) if len(happened) == 1 else subject}",
            lines=[f"{sentence(one)}: {desk}{page(one)}" for one in happened],
            preferences=_("Change what you are told: %(page)s") % {"page": desk + reverse("preferences")},
        )


def _plain(name: str) -> str:
    """Return a name without what a mail's header, HTML or a chat's markup would read as its own."""
    return " ".join(re.sub(r"[^\w .'-]+|_", " ", name).split())[:_LONGEST_NAME]
