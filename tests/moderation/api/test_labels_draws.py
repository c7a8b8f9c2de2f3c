"""Random posts to be labelled, through the api."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils.timezone import now
from rest_framework.test import APIClient

from moderation.models import Case, LabelDraw, Platform, Revision, User
from moderation.models.cases import CaseState
from moderation.operations.scoring import score
from tests.moderation.api.answers import pointers, problem
from tests.moderation.fakes import FakeScorer


@pytest.fixture
def allowed(post: Callable[..., object], fake_scorer: FakeScorer) -> None:
    fake_scorer.default = 0.01
    for _ in range(6):
        post(at=now())
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=now())


@pytest.mark.usefixtures("allowed")
class TestLabelDraws:
    def test_are_asked_for_read_and_cancelled(self, lead_api: APIClient, other_api: APIClient) -> None:
        asked = lead_api.post("/api/v1/label-draws", {"posts": 4}, format="json")
        address = asked.headers["Location"]
        read = lead_api.get(address).json()
        foreign = other_api.get(address)
        gone = lead_api.delete(address)
        after = lead_api.get(address).json()

        assert (asked.status_code, asked.json()) == (201, read)
        assert (read["drawn"], read["population"], read["waiting"], read["decided"]) == (4, 6, 4, 0)
        problem(foreign, status=404, code="not_found")
        assert gone.status_code == 204
        assert (after["waiting"], after["is_cancelled"]) == (0, True)
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_are_found_however_many_came_later(
        self, lead_api: APIClient, lead: User, platform: Platform
    ) -> None:
        first, *_ = LabelDraw.objects.bulk_create(
            LabelDraw(platform=platform, asked_by=lead, asked_at=now(), days=7, wanted=1, population=1)
            for _ in range(1_001)
        )

        answer = lead_api.get(f"/api/v1/label-draws/{first.pk}")

        assert answer.json()["id"] == str(first.pk)

    def test_are_refused_by_name(self, lead_api: APIClient, api: APIClient) -> None:
        too_many = lead_api.post("/api/v1/label-draws", {"posts": 501}, format="json")
        lead_api.post("/api/v1/label-draws", {"posts": 6}, format="json")
        nothing = lead_api.post("/api/v1/label-draws", {"posts": 1}, format="json")
        nobody = api.post("/api/v1/label-draws", {}, format="json")

        assert "/posts" in pointers(problem(too_many, status=422, code="invalid_fields"))
        problem(nothing, status=409, code="nothing_to_draw")
        problem(nobody, status=403, code="nobody_behind_key")
