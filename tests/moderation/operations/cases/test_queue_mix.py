"""The queue mix: who may set it, what it has to be, and what the audit log says."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import IntegrityError, transaction

from moderation.models import AuditEntry, QueueMix, User
from moderation.operations.cases import queue_mix
from moderation.operations.refusals import NotAllowed
from moderation.queries.cases import queue_mix as mixes
from moderation.queries.cases.queue_mix import Mix

pytestmark = pytest.mark.django_db
WANTED = Mix(harm=50, uncertainty=20, diversity=10, audit=20)


class TestChange:
    def test_is_in_force_and_in_the_audit_log(self, lead: User, at: datetime) -> None:
        assert mixes.mix() == Mix()

        queue_mix.change(mix=WANTED, actor=lead, at=at)

        entry = AuditEntry.objects.get()
        assert mixes.mix() == WANTED
        assert (entry.action, entry.details["audit"], entry.details["before"]["harm"]) == (
            "queue.mix",
            20,
            100,
        )

    @pytest.mark.parametrize("mix", [Mix(harm=50), Mix(harm=120, audit=-20), Mix(harm=100, audit=1)])
    def test_refuses_what_is_not_whole(self, lead: User, at: datetime, mix: Mix) -> None:
        with pytest.raises(queue_mix.NotWhole):
            queue_mix.change(mix=mix, actor=lead, at=at)

        assert not QueueMix.objects.exists()

    def test_is_for_leads(self, moderator: User, at: datetime) -> None:
        with pytest.raises(NotAllowed):
            queue_mix.change(mix=WANTED, actor=moderator, at=at)

    def test_the_database_holds_one_whole_mix(self, at: datetime) -> None:
        for wrong in (QueueMix(harm=90, changed_at=at), QueueMix(id=2, changed_at=at)):
            with pytest.raises(IntegrityError), transaction.atomic():
                wrong.save(force_insert=True)
