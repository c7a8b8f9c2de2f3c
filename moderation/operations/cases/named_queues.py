"""Named queues: made, changed and deleted by leads, and handed to users with a limit; the queue mix."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation.models import NamedQueue, QueueAssignment, QueueMix, User, desk_settings
from moderation.operations.audit import entries
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import WHOLE, Mix

_audit, _audit_user = entries.writer("queue"), entries.writer("user")
MOST = 100
"""Named queues of an installation: the page lists all of them and counts each."""


class NameTaken(Exception):
    """Another queue has this name."""


class TooMany(Exception):
    """No more queues: delete one first."""


class CannotDecide(Refusal):
    """The user decides no cases, or has no open account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The name and filters of a queue; an empty filter restricts nothing."""

    name: str
    platform_id: int | None
    languages: tuple[str, ...]
    reasons: tuple[str, ...]
    is_exclusive: bool = False


def save(*, queue_id: int | None, content: Content, actor: User, at: datetime) -> NamedQueue:
    """Change a queue, or make one. Raises NamedQueue.DoesNotExist, NameTaken or TooMany."""
    with transaction.atomic():
        if queue_id is None and NamedQueue.objects.count() >= MOST:
            raise TooMany
        queue = NamedQueue.objects.select_for_update().get(pk=queue_id) if queue_id else NamedQueue()
        queue.name, queue.platform_id = content.name, content.platform_id
        queue.languages, queue.reasons = list(content.languages), list(content.reasons)
        queue.is_exclusive = content.is_exclusive
        transaction.on_commit(desk_settings.forget)
        try:
            with transaction.atomic():
                queue.save()
        except IntegrityError:
            raise NameTaken(content.name) from None
        action = "queue.changed" if queue_id else "queue.added"
        _audit(action, queue, actor=actor, at=at, **asdict(content))
    return queue


def delete(*, queue_id: int, actor: User, at: datetime) -> None:
    """Delete a queue and its assignments; its cases stay in the queue. Raises NamedQueue.DoesNotExist."""
    with transaction.atomic():
        queue = NamedQueue.objects.select_for_update().get(pk=queue_id)
        _audit("queue.deleted", queue, actor=actor, at=at, name=queue.name)
        queue.delete()


def assign(
    *, queue_id: int, user: User, position: int, daily_limit: int | None, actor: User, at: datetime
) -> None:
    """Hand a queue to a user, or change their place in it. Raises NamedQueue.DoesNotExist or CannotDecide."""
    if not (user.may_decide and user.is_active):
        raise CannotDecide(_("This role does not decide cases."))
    with transaction.atomic():
        queue = NamedQueue.objects.select_for_update().get(pk=queue_id)
        place = {"position": position, "daily_limit": daily_limit}
        QueueAssignment.objects.update_or_create(queue=queue, user=user, defaults=place)
        _audit("queue.assigned", queue, actor=actor, at=at, user=user.username, **place)


def withdraw(*, queue_id: int, user_id: int, actor: User, at: datetime) -> None:
    """Take a queue from a user; nothing happens if it is not theirs."""
    with transaction.atomic():
        for assignment in QueueAssignment.objects.select_for_update().filter(
            queue_id=queue_id, user_id=user_id
        ):
            _audit("queue.withdrawn", assignment.queue, actor=actor, at=at, user=assignment.user.username)
            assignment.delete()


def set_languages(*, user: User, languages: tuple[str, ...], actor: User, at: datetime) -> None:
    """Say which languages a user reads; cases in others are not handed out to them. Empty: all of them."""
    with transaction.atomic():
        user.languages = list(languages)
        user.save(update_fields=("languages",))
        _audit_user("user.languages", user, actor=actor, at=at, languages=list(languages))


class NotWhole(Refusal):
    """The shares are negative, or do not sum up to 100."""


def change_mix(*, mix: Mix, actor: User, at: datetime) -> None:
    """Set the shares of the lanes; claims and draws follow at once. Raises NotAllowed or NotWhole."""
    if not actor.may_lead:
        raise NotAllowed(_("Only leads can change the queue mix."))
    shares = [share for _lane, share in mix.shares]
    if min(shares) < 0 or sum(shares) != WHOLE:
        raise NotWhole(_("The shares have to sum up to 100."))
    with transaction.atomic():
        old_mix = queue_mix.mix()
        QueueMix.objects.update_or_create(defaults={**asdict(mix), "changed_at": at}, pk=1)
        entries.add(
            action="queue.mix",
            subject_kind="queue",
            subject_id=0,
            actor=actor,
            at=at,
            **asdict(mix),
            before=asdict(old_mix),
        )
