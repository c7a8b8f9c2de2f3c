"""Write notifications in the transaction of their cause; what the browser shows is put away here, too."""

from datetime import datetime, timedelta

from django.db.models import Q

from moderation import enqueue
from moderation.models import Notification, User
from moderation.models.notifications import AUDIENCE, Channel, NotificationKind, NotificationState, choices_of
from moderation.operations.infrastructure import transactions

GATHER_SECONDS = 30
"""So long a message waits for what happens together with its cause."""


@transactions.required
def write(
    *,
    kind: NotificationKind,
    subject: object,
    at: datetime,
    since: datetime | None = None,
    people: Q | None = None,
    platform_id: int | None = None,
) -> None:
    """Notify everybody of the audience, or those `people` among it, on the channels that they chose.

    `subject` names what it is about, and `since`, else `at`, when that began: a second time changes nothing.
    Call inside the transaction of the cause.
    """
    users = User.objects.filter(people or Q(), is_active=True, role__in=AUDIENCE[kind])
    rows = [
        Notification(
            user=user,
            kind=kind,
            channel=channel,
            subject=str(subject),
            since=since or at,
            platform_id=platform_id,
            due_at=at if channel == Channel.BROWSER else at + timedelta(seconds=GATHER_SECONDS),
        )
        for user in users.select_related("notification_choices").order_by("pk")
        for channel in choices_of(user).told_by(kind)
    ]
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    for row in rows:
        if row.channel != Channel.BROWSER:
            enqueue.notifications(user_id=row.user_id, channel=row.channel, countdown_seconds=GATHER_SECONDS)


def put_away(*, user: User, until: int) -> None:
    """Show in the browser no more what was shown up to this id."""
    own = Notification.objects.filter(user=user, channel=Channel.BROWSER, state=NotificationState.WAITING)
    own.filter(pk__lte=until).update(state=NotificationState.SENT)
