"""Evidence that nobody works on is late, whatever the sweep does meanwhile."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from moderation.models import Evidence, EvidenceRequest, Revision
from moderation.models.evidence import EvidenceRole, EvidenceState
from moderation.operations.evidence import opening
from moderation.operations.evidence.leads import Address
from moderation.queries.health import health, lateness
from tests.moderation.conftest import Post_

MINUTE = timedelta(minutes=1)


@pytest.fixture
def revision(post: Post_, at: datetime) -> Revision:
    return Revision.objects.get(post=post(at=at))


def late(at: datetime) -> dict[str, float | None]:
    return {one.what: one.seconds for one in lateness.late(at=at) if one.what.startswith("evidence")}


def waiting(at: datetime) -> dict[str, tuple[int, datetime | None]]:
    rows = {one.key: (one.rows, one.oldest_at) for one in health.backlogs(at=at)}
    return {key: found for key, found in rows.items() if key.startswith("evidence") and found[0]}


def test_what_no_worker_looks_up_is_named(revision: Revision, at: datetime) -> None:
    """Without an evidence worker no address is written down: only the request is there."""
    EvidenceRequest.objects.create(revision=revision, enqueued_at=at, since=at)
    EvidenceRequest.objects.update(enqueued_at=at + 10 * MINUTE)  # as the sweep does

    assert late(at + 9 * MINUTE) == {}
    assert late(at + 11 * MINUTE) == {"evidence_requests": 660.0}
    assert waiting(at) == {"evidence_requests": (1, at)}

    EvidenceRequest.objects.update(opened_at=at)
    assert (late(at + 11 * MINUTE), waiting(at)) == ({}, {})


def test_what_no_worker_fetches_is_named(revision: Revision, at: datetime) -> None:
    address = Address(revision_id=revision.pk, url="http://site.example/", role=EvidenceRole.LINK)
    with transaction.atomic():
        opening.write_down([address], at=at)
    Evidence.objects.update(enqueued_at=at + 10 * MINUTE, due_at=at + 10 * MINUTE)

    assert late(at + 9 * MINUTE) == {}
    assert late(at + 11 * MINUTE) == {"evidence": 660.0}
    assert waiting(at) == {"evidence": (1, at)}

    Evidence.objects.update(state=EvidenceState.FETCHED, fetched_at=at)
    assert (late(at + 11 * MINUTE), waiting(at)) == ({}, {})
