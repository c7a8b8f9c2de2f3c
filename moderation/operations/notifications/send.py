"""Send what waits for a person on a channel as one message, at most once.

A message is marked before it leaves. If the worker dies then, nobody knows whether it arrived, and it is not
sent again: the browser shows it all the same.
"""

from datetime import datetime, timedelta

import structlog
from django.db import connection, transaction
from django.db.models import F, Max, QuerySet

from moderation import enqueue
from moderation.models import Notification, NotificationChoices
from moderation.models.notifications import Channel, NotificationState
from moderation.operations.notifications import wording
from moderation.operations.notifications.carriers import CARRIERS, TryLater, Undeliverable
from moderation.queries.accounts import notifications

log = structlog.get_logger(__name__)

PAUSE = timedelta(minutes=10)
"""Between two messages about one kind; what happens meanwhile is summed up in the next."""

RETRY_SECONDS = (60, 300, 900, 3_600, 14_400, 43_200)
_LOST_AFTER = timedelta(minutes=2)
"""Longer than a task may take: whoever had it is dead."""

_KEPT = timedelta(days=30)


def run(*, user_id: int, channel: str, at: datetime) -> int:
    """Send what is due as one message; return how many events it tells.

    Safe to run twice and concurrently. Call outside a transaction.
    """
    with transaction.atomic():
        # The lock lets one worker at a time choose for a person.
        rows = NotificationChoices.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
        choices = rows.filter(pk=user_id).first()
        ids = _claim(choices, Channel(channel), at=at) if choices else []
        happened = notifications.summed(Notification.objects.filter(pk__in=ids))
    if choices is None or not ids:
        return 0
    if not connection.in_atomic_block:
        connection.close()  # release the database connection while waiting for the network
    state = NotificationState.SENT
    try:
        CARRIERS[channel](wording.message(happened, choices=choices), choices)
    except (TryLater, Undeliverable) as failure:
        log.info("notification_failed", user=user_id, channel=channel, reason=str(failure)[:200])
        state = NotificationState.FAILED
        if isinstance(failure, TryLater):
            _put_off(ids, at=at)
    _on_its_way(ids).update(state=state)
    return len(ids)


def sweep(*, at: datetime) -> int:
    """Enqueue what is due, give up what died on its way, delete what is old; return how many are due."""
    dead = Notification.objects.filter(state=NotificationState.SENDING, tried_at__lt=at - _LOST_AFTER)
    if count := dead.update(state=NotificationState.FAILED):
        log.warning("notifications_lost", count=count)
    Notification.objects.filter(since__lt=at - _KEPT).delete()
    due = Notification.objects.filter(state=NotificationState.WAITING, due_at__lte=at)
    pairs = set(due.exclude(channel=Channel.BROWSER).order_by().values_list("user_id", "channel"))
    with transaction.atomic():
        for user_id, channel in sorted(pairs):
            enqueue.notifications(user_id=user_id, channel=channel)
    return len(pairs)


def _claim(choices: NotificationChoices, channel: Channel, *, at: datetime) -> list[int]:
    """Mark all that one message can tell now, and return its ids; what has to wait gets its time."""
    waiting = notifications.of(choices.user, channel)
    wanted = notifications.wanted(choices, channel)
    waiting.exclude(kind__in=wanted).update(state=NotificationState.UNWANTED)
    is_away = waiting.filter(attempts__gt=0, due_at__gt=at).exists()
    if is_away or not waiting.filter(due_at__lte=at).exists():
        return []
    if quiet_end := choices.quiet_end(at):
        waiting.update(due_at=quiet_end)
        return []
    told = Notification.objects.filter(user=choices.user, channel=channel, tried_at__range=(at - PAUSE, at))
    told = told.exclude(state=NotificationState.WAITING)
    lately = dict(told.order_by().values_list("kind").annotate(last_at=Max("tried_at")))
    for kind, last_at in lately.items():
        waiting.filter(kind=kind).update(due_at=last_at + PAUSE)
    ids = list(waiting.exclude(kind__in=lately).values_list("pk", flat=True))
    marked = Notification.objects.filter(pk__in=ids)
    marked.update(state=NotificationState.SENDING, tried_at=at, attempts=F("attempts") + 1)
    return ids


def _put_off(ids: list[int], *, at: datetime) -> None:
    """Let those that have attempts left wait for the next one."""
    rows = _on_its_way(ids).filter(attempts__lte=len(RETRY_SECONDS))
    number = rows.aggregate(most=Max("attempts"))["most"] or 1
    due_at = at + timedelta(seconds=RETRY_SECONDS[number - 1])
    rows.update(state=NotificationState.WAITING, due_at=due_at)


def _on_its_way(ids: list[int]) -> QuerySet[Notification]:
    return Notification.objects.filter(pk__in=ids, state=NotificationState.SENDING)
