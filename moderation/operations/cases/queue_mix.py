"""The queue mix, as leads set it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import QueueMix, User
from moderation.operations.audit import entries
from moderation.operations.refusals import NotAllowed, Refusal
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import WHOLE, Mix


class NotWhole(Refusal):
    """The shares are negative, or do not sum up to 100."""


def change(*, mix: Mix, actor: User, at: datetime) -> None:
    """Set the shares of the lanes; claims and draws follow at once. Raises NotAllowed or NotWhole."""
    if not actor.may_lead:
        raise NotAllowed(_("Only leads can change the queue mix."))
    shares = [share for _lane, share in mix.shares]
    if min(shares) < 0 or sum(shares) != WHOLE:
        raise NotWhole(_("The shares have to sum up to 100."))
    with transaction.atomic():
        before = queue_mix.mix()
        QueueMix.objects.update_or_create(defaults={**asdict(mix), "changed_at": at}, pk=1)
        entries.add(
            action="queue.mix",
            subject_kind="queue",
            subject_id=0,
            actor=actor,
            at=at,
            **asdict(mix),
            before=asdict(before),
        )
