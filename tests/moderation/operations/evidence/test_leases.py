"""Which worker fetches an address: one at a time, and none passes over it for nothing."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import leases


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_locked_for_a_moment_is_waited_for() -> None:
    """Its message came while the request was still being opened: passed over, the row waited for a sweep."""
    at = timezone.now()
    row = Evidence.objects.create(
        url="http://site.example/", url_digest="a", hour=at, site="site.example", kind="page",
        enqueued_at=at, since=at, due_at=at,
    )  # fmt: skip
    claimed: list[Evidence | None] = []

    def claim() -> None:
        try:
            claimed.append(leases.claim(evidence_id=row.pk, at=at))
        finally:
            connection.close()

    claiming = threading.Thread(target=claim)
    with transaction.atomic():
        Evidence.objects.select_for_update(no_key=True).get(pk=row.pk)
        claiming.start()
        claiming.join(0.3)
        assert not claimed
    claiming.join(5)

    assert [one and one.state for one in claimed] == [EvidenceState.FETCHING]
