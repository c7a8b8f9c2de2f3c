"""What comes next is asked for by what it waited for, not by the sweep."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from moderation import enqueue
from moderation.models import Evidence, EvidenceRequest, Post, Revision
from moderation.models.evidence import EvidenceState
from moderation.models.posts import ScoreState
from moderation.operations.evidence import collect, leases, opening
from moderation.operations.scoring import score
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.evidence.hostile_site import HostileSite


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The messages for evidence, by task and arguments."""
    found: list[tuple[str, dict[str, Any]]] = []

    def send(task: str, *, options: dict[str, Any], kwargs: dict[str, Any]) -> None:
        if options["queue"] == "evidence":
            found.append((task.rpartition(".")[2], kwargs))

    monkeypatch.setattr(enqueue, "_send", send)
    return found


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_locked_for_a_moment_is_waited_for() -> None:
    """Its message came while the request was still being opened: passed over, the row waited for a sweep."""
    at = timezone.now()
    row = Evidence.objects.create(
        url="http://site.example/", url_digest="a", hour=at, site="site.example", kind="page",
        enqueued_at=at, due_at=at,
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


def test_a_request_that_had_to_wait_for_a_score_is_opened_with_it(
    site: HostileSite,
    post: Callable[..., Post],
    fake_scorer: FakeScorer,
    sent: list[tuple[str, dict[str, Any]]],
    at: datetime,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revision = Revision.objects.get(post=post(links=[site.url("/elsewhere")], at=at))
    score.run(revision_ids=[revision.pk], at=at)
    Revision.objects.update(score_state=ScoreState.PENDING, generation=2)
    judge = fake_scorer.score_many

    def meanwhile(*args: Any, **given: Any) -> Any:
        """Open the request and fetch the page while the record is frozen and no score stored."""
        opening.run(revision_ids=[revision.pk], at=at + timedelta(seconds=1))
        collect.run(evidence_id=Evidence.objects.get().pk, at=at + timedelta(seconds=2))
        return judge(*args, **given)

    monkeypatch.setattr(fake_scorer, "score_many", meanwhile)
    with django_capture_on_commit_callbacks(execute=True):
        score.run(revision_ids=[revision.pk], at=at)
    assert EvidenceRequest.objects.get().opened_at is None

    assert sent[-1] == ("open_evidence", {"revision_ids": [revision.pk]})
    opening.run(revision_ids=[revision.pk], at=at + timedelta(seconds=3))

    assert EvidenceRequest.objects.get().opened_at is not None
    assert Revision.objects.get().generation == 3, "scored again, for where the link leads"
