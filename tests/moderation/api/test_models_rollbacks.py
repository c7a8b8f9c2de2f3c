"""Roll-backs of the live release, through the api."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from moderation import scorer
from moderation.models import AuditEntry, Promotion, Release, ShadowRun, User
from moderation.operations.releases import triton
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import ClientFor
from tests.moderation.fakes import RELEASE_ID
from tests.moderation.operations.learning.conftest import candidate_scorer, scored, shadow_run

__all__ = ["candidate_scorer", "scored", "shadow_run"]

pytestmark = pytest.mark.django_db
ROLLBACKS, BEFORE = "/api/v1/rollbacks", "0" * 64


@pytest.mark.usefixtures("shadow_run")
class TestRollbacks:
    @pytest.fixture(autouse=True)
    def _no_triton(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(triton, "load", lambda *_args, **_named: None)
        monkeypatch.setattr(triton, "tidy", lambda: None)

    def test_makes_the_release_before_live_once(self, lead_api: APIClient, lead: User) -> None:
        done = lead_api.post(ROLLBACKS, {"live": RELEASE_ID}, format="json")
        again = lead_api.post(ROLLBACKS, {"live": RELEASE_ID}, format="json")

        assert (done.status_code, done.json()["release"]) == (201, BEFORE)
        assert done.json()["replaces"] == RELEASE_ID
        problem(again, status=409, code="live_has_changed")
        assert scorer.newest() == BEFORE
        assert AuditEntry.objects.filter(action="release.rollback", actor=lead).count() == 1
        problem(lead_api.post(ROLLBACKS, {"live": BEFORE}, format="json"), status=409, code="nothing_before")

    def test_repeated_under_a_key_gets_the_first_answer(self, lead_api: APIClient) -> None:
        once = {"Idempotency-Key": "one"}

        done, again = (
            lead_api.post(ROLLBACKS, {"live": RELEASE_ID}, format="json", headers=once) for _ in range(2)
        )

        assert (again.json(), again.headers["Idempotent-Replayed"]) == (done.json(), "true")
        assert Promotion.objects.filter(kind="rollback").count() == 1

    def test_needs_a_person_who_may_and_a_release_that_is_kept(
        self, lead: User, moderator: User, client_for: ClientFor
    ) -> None:
        for person, to, status, code in (
            (None, {}, 403, "nobody_behind_key"),
            (moderator, {}, 403, "not_allowed"),
            (lead, {"to": "9"}, 404, "not_found"),
            (lead, {"to": BEFORE}, 409, "not_promoted"),
        ):
            answer = client_for(person).post(ROLLBACKS, {"live": RELEASE_ID, **to}, format="json")
            problem(answer, status=status, code=code)
        assert scorer.newest() == RELEASE_ID

    def test_is_no_way_in_for_a_candidate(
        self, lead_api: APIClient, at: datetime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(settings, "RELEASES_DIR", tmp_path)
        run = ShadowRun.objects.get()
        (tmp_path / run.candidate).mkdir()
        Release.objects.create(pk=run.candidate, manifest={}, first_used_at=at)

        answer = lead_api.post(ROLLBACKS, {"live": RELEASE_ID, "to": run.candidate}, format="json")

        problem(answer, status=409, code="not_promoted")
        assert "never live" in answer.json()["detail"]
        assert scorer.newest() == RELEASE_ID
