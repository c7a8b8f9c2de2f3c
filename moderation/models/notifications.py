"""What people are told of wherever they are, how they wish it, and what waits to be told."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.platforms import Platform
from moderation.models.users import DECIDERS, Role, User


class NotificationKind(models.TextChoices):
    """What happened."""

    ESCALATION = "escalation", _("A case is escalated")
    MENTION = "mention", _("A note names you")
    APPEAL = "appeal", _("A decision is appealed")
    SPIKE = "spike", _("A spike of posts or removals")
    DRIFT = "drift", _("A drift alarm")
    ENDPOINT = "endpoint", _("A webhook endpoint does not answer")
    REMOVAL = "removal", _("Automatic removal stops")
    TRAINING = "training", _("A training run ends")


class Channel(models.TextChoices):
    """How somebody is told: on the open pages of the desk, by mail, or in a chat."""

    BROWSER = "browser", _("Browser")
    MAIL = "mail", _("Mail")
    CHAT = "chat", _("Chat")


_LEADS = frozenset({Role.LEAD, Role.ADMIN})
AUDIENCE = dict.fromkeys(NotificationKind, _LEADS) | {
    NotificationKind.MENTION: DECIDERS,
    NotificationKind.DRIFT: _LEADS | {Role.ML_ENGINEER},
    NotificationKind.TRAINING: _LEADS | {Role.ML_ENGINEER},
}
"""The roles that may be told of each kind."""


class NotificationChoices(models.Model):
    """How a person wishes to be told; somebody without a row is told in the browser alone.

    `channels` holds the channels of each kind that was on the page when they were chosen.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="notification_choices",
    )
    channels = models.JSONField(default=dict)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    chat_address = models.TextField(blank=True, help_text="Encrypted: whoever knows it can write there.")
    language = models.CharField(max_length=8, default="en")
    desk = models.CharField(max_length=300, help_text="Where this person opens the desk: links begin so.")

    def told_by(self, kind: str) -> Sequence[str]:
        """Return the channels of a kind; none if the role is not told of it, or the person has left."""
        if not self.user.is_active or self.user.role not in AUDIENCE[NotificationKind(kind)]:
            return ()
        chosen = self.channels.get(kind, [Channel.BROWSER.value])
        return [channel.value for channel in Channel if channel in chosen]

    def quiet_end(self, at: datetime) -> datetime | None:
        """Return when the quiet hours end that `at` lies in, None outside them."""
        if self.quiet_from is None or self.quiet_until is None:
            return None
        local = at.astimezone(ZoneInfo(self.time_zone))
        now, is_over_midnight = local.time(), self.quiet_from > self.quiet_until
        is_late, is_early = now >= self.quiet_from, now < self.quiet_until
        if not (is_late or is_early if is_over_midnight else is_late and is_early):
            return None
        day = local.date() + timedelta(days=1 if is_over_midnight and is_late else 0)
        return datetime.combine(day, self.quiet_until, local.tzinfo).astimezone(UTC)


def choices_of(user: User) -> NotificationChoices:
    """Return how a person wishes to be told, unsaved if they have never chosen."""
    return getattr(user, "notification_choices", None) or NotificationChoices(user=user)


class NotificationState(models.TextChoices):
    """How far one is. SENDING: a worker has it, and if that dies nobody knows whether it arrived."""

    WAITING = "waiting", "waiting"
    SENDING = "sending", "sending"
    SENT = "sent", "sent"
    UNWANTED = "unwanted", "no longer wanted"
    FAILED = "failed", "failed"


OPEN_STATES = (NotificationState.WAITING, NotificationState.SENDING)


class Notification(models.Model):
    """One event, for one person, on one channel. It holds no word of a post.

    `subject` names what it is about, `since` when that began: the same may happen again. One of the channel
    BROWSER waits until the person has put it away.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=10, choices=NotificationKind.choices)
    channel = models.CharField(max_length=7, choices=Channel.choices)
    subject = models.CharField(max_length=40)
    since = models.DateTimeField()
    platform = models.ForeignKey(
        Platform, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    state = models.CharField(
        max_length=8, choices=NotificationState.choices, default=NotificationState.WAITING
    )
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("user", "channel", "kind", "subject", "since"), name="notified_once_per_event"
            ),
        )
        indexes = (
            models.Index(
                fields=("user", "channel"), name="notification_open", condition=Q(state__in=OPEN_STATES)
            ),
        )
