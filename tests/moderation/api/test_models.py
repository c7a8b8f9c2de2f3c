"""Releases through the api: their figures, stored posts scored again, roll-backs of the live one."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from moderation import scorer
from moderation.models import AuditEntry, Release, ShadowRun, User
from moderation.operations.erasure import erase
from moderation.operations.releases import triton
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.operations.learning.conftest import Scored, candidate_scorer, scored, shadow_run

__all__ = ["candidate_scorer", "scored", "shadow_run"]

pytestmark = pytest.mark.django_db
FIRST = "2026-01-01T00:00:00Z"
REPLAYS, ROLLBACKS, BEFORE = "/api/v1/replays", "/api/v1/rollbacks", "0" * 64
MANIFEST = {
    "metrics": {
        "simulated": True,
        "test": {
            "complete": {
                "rows": 1_000,
                "spam": 200,
                "pr_auc": 0.9,
                "removed_share": 0.1,
                "precision_of_removed": 0.97,
            },
            "with random gaps": {"rows": 30, "spam": 5, "pr_auc": 0.9, "removed_share": 0.1},
        },
    },
    "heads": {"a-competitor": {}},
}


class TestMetrics:
    def test_are_those_of_the_manifest_and_none_where_there_are_few_posts(
        self, api: APIClient, at: datetime
    ) -> None:
        Release.objects.create(pk="a" * 64, manifest=MANIFEST, first_used_at=at)

        found = api.get(f"/api/v1/models/{'a' * 64}/metrics").json()

        whole = {"posts": 1_000, "spam": 200, "pr_auc": 0.9, "removed": 100, "precision": 0.97}
        few = {"posts": 30, "spam": 5, "pr_auc": None, "removed": 3, "precision": None}
        assert (found["release"], found["split"], found["is_simulated"]) == ("a" * 64, "test", True)
        assert found["data"] == [{"part": "complete"} | whole, {"part": "with random gaps"} | few]

    def test_refuse_what_is_not_there(self, api: APIClient, at: datetime) -> None:
        Release.objects.create(pk="a" * 64, manifest={}, first_used_at=at)

        problem(api.get("/api/v1/models/unknown/metrics"), status=404, code="not_found")
        wrong = api.get(f"/api/v1/models/{'a' * 64}/metrics", {"split": "train"})
        assert bad_fields(wrong) == {"/split": "invalid_choice"}


@pytest.fixture
def asked(at: datetime) -> dict[str, Any]:
    """A day around what was scored, with the release before the live one."""
    since, until = (at + timedelta(hours=hours) for hours in (-1, 1))
    return {"range": {"since": since.isoformat(), "until": until.isoformat()}, "release": BEFORE}


@pytest.mark.usefixtures("shadow_run")
class TestReplays:
    def test_say_what_the_release_would_have_said(
        self,
        api: APIClient,
        scored: Scored,
        fake_scorer: FakeScorer,
        candidate_scorer: FakeScorer,
        asked: dict[str, Any],
    ) -> None:
        fake_scorer.probabilities = {"far": 0.05, "near": 0.95}
        candidate_scorer.probabilities = {"far": 0.5, "near": 0.94}
        near, far = scored(text="near"), scored(text="far")

        found = api.post(REPLAYS, asked).json()

        assert (found["records"], found["release"]) == (2, BEFORE)
        assert found["mean_difference"] == pytest.approx(0.23)
        assert [one["post"]["id"] for one in found["data"]] == [str(far.pk), str(near.pk)]
        assert found["data"][0]["before"] == {"route": "allow", "spam_probability": 0.05}
        assert found["data"][0]["after"] == {"route": "review", "spam_probability": 0.5}
        assert found["moves"] == [
            {"before": "allow", "after": "review", "posts": 1},
            {"before": "remove", "after": "remove", "posts": 1},
        ]

    def test_are_of_the_newest_posts_of_the_own_platform(
        self,
        api: APIClient,
        other_api: APIClient,
        scored: Scored,
        fake_scorer: FakeScorer,
        asked: dict[str, Any],
    ) -> None:
        fake_scorer.audited = {"drawn"}
        rows = [scored(text=text) for text in ("one", "two", "drawn")]
        erase.post(post_id=rows[0].pk, at=rows[0].received_at)
        one = asked | {"range": asked["range"] | {"limit": 1}}

        own = api.post(REPLAYS, asked).json()
        newest = api.post(REPLAYS, one).json()
        foreign = other_api.post(REPLAYS, asked).json()

        assert [row["post"]["id"] for row in own["data"]] == [str(rows[1].pk)]
        assert newest["data"] == own["data"]
        assert (foreign["records"], foreign["mean_difference"], foreign["moves"]) == (0, None, [])

    def test_are_of_the_score_behind_a_decision(
        self, api: APIClient, other_api: APIClient, scored: Scored, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.05
        decision = scored(text="one").decisions.get()
        body = {"decision_id": str(decision.pk), "release": BEFORE}

        assert api.post(REPLAYS, body).json()["records"] == 1
        problem(other_api.post(REPLAYS, body), status=404, code="not_found")

    @pytest.mark.parametrize(
        ("change", "pointer"),
        [
            ({"range": None}, "/decision_id"),
            ({"decision_id": "1"}, "/decision_id"),
            ({"range": {"since": FIRST, "until": "2025-01-01T00:00:00Z"}}, "/range/until"),
            ({"range": {"since": "2025-01-01T00:00:00Z", "until": FIRST}}, "/range/until"),
            ({"range": {"since": FIRST, "until": "2026-01-02T00:00:00Z", "limit": 201}}, "/range/limit"),
            ({"release": ""}, "/release"),
        ],
    )
    def test_name_what_is_wrong(
        self, api: APIClient, asked: dict[str, Any], change: dict[str, Any], pointer: str
    ) -> None:
        answer = api.post(REPLAYS, asked | change)

        assert set(bad_fields(answer)) == {pointer}

    def test_need_a_release_that_can_score(
        self,
        api: APIClient,
        scored: Scored,
        candidate_scorer: FakeScorer,
        asked: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        scored(text="one")
        problem(api.post(REPLAYS, asked | {"release": "9"}), status=404, code="not_found")
        candidate_scorer.is_degraded = True
        problem(api.post(REPLAYS, asked), status=409, code="release_unusable")

        def gone(_release: str) -> None:
            raise scorer.NotKept("gone")

        monkeypatch.setattr(scorer.current(), "shadow_of", gone)
        problem(api.post(REPLAYS, asked), status=409, code="release_unusable")


@pytest.mark.usefixtures("shadow_run")
class TestRollbacks:
    @pytest.fixture(autouse=True)
    def _no_triton(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(triton, "load", lambda *_args, **_named: None)
        monkeypatch.setattr(triton, "tidy", lambda: None)

    def test_makes_the_release_before_live_once(self, lead_api: APIClient, lead: User) -> None:
        done, same = (
            lead_api.post(ROLLBACKS, {"live": RELEASE_ID}, headers={"Idempotency-Key": "one"})
            for _ in range(2)
        )
        again = lead_api.post(ROLLBACKS, {"live": RELEASE_ID})

        assert (same.json(), same.headers["Idempotent-Replayed"]) == (done.json(), "true")
        assert (done.status_code, done.json()["release"]) == (201, BEFORE)
        assert done.json()["replaces"] == RELEASE_ID
        problem(again, status=409, code="live_has_changed")
        assert scorer.newest() == BEFORE
        assert AuditEntry.objects.filter(action="release.rollback", actor=lead).count() == 1
        problem(lead_api.post(ROLLBACKS, {"live": BEFORE}), status=409, code="nothing_before")

    def test_needs_a_person_who_may_and_a_release_that_is_kept(
        self, lead: User, moderator: User, client_for: ClientFor
    ) -> None:
        for person, to, status, code in (
            (None, {}, 403, "nobody_behind_key"),
            (moderator, {}, 403, "not_allowed"),
            (lead, {"to": "9"}, 404, "not_found"),
            (lead, {"to": BEFORE}, 409, "not_promoted"),
        ):
            answer = client_for(person).post(ROLLBACKS, {"live": RELEASE_ID, **to})
            problem(answer, status=status, code=code)
        assert scorer.newest() == RELEASE_ID

    def test_is_no_way_in_for_a_candidate(
        self, lead_api: APIClient, at: datetime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(settings, "RELEASES_DIR", tmp_path)
        run = ShadowRun.objects.get()
        (tmp_path / run.candidate).mkdir()
        Release.objects.create(pk=run.candidate, manifest={}, first_used_at=at)

        answer = lead_api.post(ROLLBACKS, {"live": RELEASE_ID, "to": run.candidate})

        problem(answer, status=409, code="not_promoted")
        assert "never live" in answer.json()["detail"]
        assert scorer.newest() == RELEASE_ID
