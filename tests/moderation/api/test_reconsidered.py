"""Posts like decided ones, as a platform sees them: sent, allowed, and reconsidered after a decision."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import DeskSettings, Platform, Revision
from moderation.models.platforms import Reconsidering
from moderation.operations import reconsider
from moderation.operations.outbox import feed
from moderation.operations.scoring import score
from tests.moderation.api.conftest import LEAST
from tests.moderation.fakes import FakeScorer

TEXT = "Cheap pills without prescription, call 1-800-555-0101 now or never"


def send(api: APIClient, number: int) -> None:
    own = {"external_id": f"post-{number}", "author": {"external_id": f"author-{number}"}}
    body = LEAST | {"text": TEXT} | own
    assert api.post("/api/v1/posts", body).status_code == 202
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=timezone.now())


@pytest.mark.parametrize("choice", [Reconsidering.QUEUE, Reconsidering.DECIDE])
def test_are_queued_or_decided_and_told_once(
    lead_api: APIClient, fake_scorer: FakeScorer, remembered: DeskSettings, choice: Reconsidering
) -> None:
    remembered.undo_seconds = 0
    Platform.objects.update(reconsiders=choice)
    fake_scorer.default = 0.05
    for number in range(3):
        send(lead_api, number)
    fake_scorer.default = 0.5
    send(lead_api, 3)
    [case] = lead_api.post("/api/v1/queues/all/claims", {"count": 1}).json()["cases"]
    spam = {"verdict": "spam", "version": case["version"]}
    decided = lead_api.post(f"/api/v1/cases/{case['id']}/decisions", spam)
    assert decided.status_code == 201

    for _ in range(2):
        reconsider.sweep(at=timezone.now() + timedelta(seconds=1))

    feed.sweep(at=timezone.now() + 3 * feed.SETTLE)
    cases = lead_api.get("/api/v1/cases").json()["data"]
    told = lead_api.get("/api/v1/decisions").json()["data"]
    reconsidered = [row for row in told if (row["verdict"], row["reason"]) == ("spam", "reconsidered")]
    three = {f"post-{number}" for number in range(3)}
    if choice == Reconsidering.QUEUE:
        waiting = {(row["reason"], row["post"]["external_id"]) for row in cases}
        assert waiting == {("reconsidered", name) for name in three}
        assert reconsidered == []
    else:
        assert cases == []
        assert {row["post"]["external_id"] for row in reconsidered} == three
        assert {row["source"] for row in reconsidered} == {"automatic"}
