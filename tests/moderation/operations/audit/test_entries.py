"""Entries of the audit log."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import transaction

from moderation.models import AuditEntry, Platform
from moderation.operations.audit import entries
from moderation.operations.infrastructure.transactions import NotInTransaction

AT = datetime(2026, 3, 5, 12, tzinfo=UTC)


class TestWriter:
    def test_tells_the_same_of_every_row_of_a_kind(self, platform: Platform) -> None:
        write = entries.writer("platform", subject_id="slug", name="name")

        with transaction.atomic():
            write("platform.renamed", platform, actor=None, at=AT, was="Earlier")

        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject_kind) == ("platform.renamed", "platform")
        assert entry.subject_id == "social"
        assert entry.details == {"name": "Social", "was": "Earlier"}

    @pytest.mark.django_db(transaction=True)
    def test_needs_the_transaction_of_its_act(self, platform: Platform) -> None:
        with pytest.raises(NotInTransaction):
            entries.writer("platform")("platform.renamed", platform, actor=None, at=AT)
