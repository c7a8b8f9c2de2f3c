"""Request and cancel training runs; `training_job` carries them out. One is open at a time."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from moderation import enqueue
from moderation.models import Label, Platform, TrainingRun, User, desk_settings
from moderation.models.notifications import NotificationKind
from moderation.models.training_runs import OPEN_STATES, TrainingState
from moderation.models.users import Role
from moderation.operations.audit import entries
from moderation.operations.notifications import notify
from moderation.operations.refusals import Refusal

_audit = entries.writer("training_run")
_RESULTS = ("live", "candidate", "manifest", "report", "findings")
PATIENCE = timedelta(seconds=60)
"""After this time the message of a waiting run counts as lost, and the sweep sends another."""


class AlreadyOpen(Refusal):
    """Another training run waits or is in progress."""


class NotOpen(Refusal):
    """The training run has ended: there is nothing to cancel."""


class NothingToLearn(Refusal):
    """Nobody has labelled a post: there is nothing to learn from."""


def request(*, requested_by: User | None, at: datetime, platform: Platform | None = None) -> TrainingRun:
    """Request a training run; a task carries it out. Raises AlreadyOpen or NothingToLearn.

    Without `requested_by` the schedule began it.
    """
    labels = Label.objects.filter(retracted_at__isnull=True)
    if platform is not None:
        labels = labels.filter(post__platform=platform)
    if not labels.exists():
        raise NothingToLearn(_("No labels yet: there is nothing to learn from."))
    try:
        with transaction.atomic():
            row = TrainingRun.objects.create(
                requested_by=requested_by, platform=platform, requested_at=at, lease_until=at + PATIENCE
            )
            _audit("training.requested", row, actor=requested_by, at=at)
            enqueue.training(run_id=row.pk)
    except IntegrityError as refusal:
        if "one_open_training_run" not in str(refusal):
            raise
        raise AlreadyOpen(_("A training run is already waiting or in progress.")) from refusal
    return row


def cancel(*, run_id: int, actor: User, at: datetime) -> None:
    """Cancel an open run; its worker notices within seconds and ends its process. Raises NotOpen."""
    with transaction.atomic():
        row = TrainingRun.objects.select_for_update(of=("self",)).get(pk=run_id)
        if not row.is_open:
            raise NotOpen(_("This training run has already ended."))
        row.state, row.lease_until, row.ended_at = TrainingState.CANCELLED, None, at
        row.save(update_fields=("state", "lease_until", "ended_at"))
        _audit("training.cancelled", row, actor=actor, at=at)


def schedule(*, at: datetime) -> TrainingRun | None:
    """Begin a run if the last one is `training_days` old and labels came since; None if it is not due."""
    days = desk_settings.current().training_days
    if not days:
        return None
    last = TrainingRun.objects.order_by("-requested_at", "-id").first()
    if last is not None:
        is_early = last.requested_at > at - timedelta(days=days)
        if is_early or not Label.objects.filter(labelled_at__gt=last.requested_at).exists():
            return None
    try:
        return request(requested_by=None, at=at)
    except (AlreadyOpen, NothingToLearn):
        return None


def end(row: TrainingRun, *, state: TrainingState, at: datetime, error: str = "") -> None:
    """End this attempt at a run, with its results if it has any, unless it is no longer the open one."""
    with transaction.atomic():
        ours = TrainingRun.objects.filter(pk=row.pk, attempts=row.attempts, state__in=OPEN_STATES)
        results = {name: getattr(row, name) for name in _RESULTS} if state == TrainingState.READY else {}
        if ours.update(state=state, error=error[:500], ended_at=at, lease_until=None, **results):
            _audit(f"training.{state}", row, actor=None, at=at)
            people = Q(pk=row.requested_by_id) if row.requested_by_id else Q(role=Role.ML_ENGINEER)
            notify.write(kind=NotificationKind.TRAINING, subject=row.pk, people=people, at=at)
