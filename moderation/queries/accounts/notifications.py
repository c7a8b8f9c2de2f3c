"""Notifications of a person that wait, summed up by kind."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, QuerySet

from moderation.models import Notification, User
from moderation.models.notifications import (
    Channel,
    NotificationChoices,
    NotificationKind,
    NotificationState,
    choices_of,
)

_SHOWN = timedelta(days=7)
"""Older news is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Events of one kind: how many, and if it is one what it is about.

    `platform` is the name of the platform that all are of, "" if they are of several or none.
    """

    kind: NotificationKind
    number: int
    subject: str
    platform: str
    newest_id: int


def of(user: User, channel: Channel) -> QuerySet[Notification]:
    """Return what waits to be told to a person on a channel."""
    return Notification.objects.filter(user=user, channel=channel, state=NotificationState.WAITING)


def shown(user: User, *, at: datetime) -> list[Happened]:
    """Return what the browser shows now: nothing in quiet hours, and nothing that is no longer wanted."""
    choices = choices_of(user)
    if choices.quiet_end(at) is not None:
        return []
    rows = of(user, Channel.BROWSER).filter(due_at__gt=at - _SHOWN)
    return summed(rows.filter(kind__in=wanted(choices, Channel.BROWSER)))


def wanted(choices: NotificationChoices, channel: Channel) -> Collection[NotificationKind]:
    """Return the kinds that a person is told of on a channel."""
    return [kind for kind in NotificationKind if channel in choices.told_by(kind)]


def summed(rows: QuerySet[Notification]) -> list[Happened]:
    """Sum rows up by kind, in the order of the kinds."""
    counts = (
        rows.order_by()
        .values("kind")
        .annotate(
            number=Count("pk"),
            newest_id=Max("pk"),
            about=Max("subject"),
            name=Min("platform__name"),
            platforms=Count("platform", distinct=True),
        )
    )
    happened = [
        Happened(
            kind=NotificationKind(row["kind"]),
            number=row["number"],
            subject=row["about"] if row["number"] == 1 else "",
            platform=row["name"] if row["platforms"] == 1 else "",
            newest_id=row["newest_id"],
        )
        for row in counts
    ]
    return sorted(happened, key=lambda one: list(NotificationKind).index(one.kind))
