"""Stored posts scored again with another release, through the api."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from moderation import scorer
from moderation.operations.erasure import erase
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.learning.conftest import Scored, candidate_scorer, scored, shadow_run

__all__ = ["candidate_scorer", "scored", "shadow_run"]

pytestmark = pytest.mark.django_db
FIRST = "2026-01-01T00:00:00Z"
REPLAYS, BEFORE = "/api/v1/replays", "0" * 64


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

        found = api.post(REPLAYS, asked, format="json").json()

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
        erase.post(post_id=rows[0].pk, actor=None, at=rows[0].received_at)
        one = asked | {"range": asked["range"] | {"limit": 1}}

        own = api.post(REPLAYS, asked, format="json").json()
        newest = api.post(REPLAYS, one, format="json").json()
        foreign = other_api.post(REPLAYS, asked, format="json").json()

        assert [row["post"]["id"] for row in own["data"]] == [str(rows[1].pk)]
        assert newest["data"] == own["data"]
        assert (foreign["records"], foreign["mean_difference"], foreign["moves"]) == (0, None, [])

    def test_are_of_the_score_behind_a_decision(
        self, api: APIClient, other_api: APIClient, scored: Scored, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.05
        decision = scored(text="one").decisions.get()
        body = {"decision_id": str(decision.pk), "release": BEFORE}

        assert api.post(REPLAYS, body, format="json").json()["records"] == 1
        problem(other_api.post(REPLAYS, body, format="json"), status=404, code="not_found")

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
        answer = api.post(REPLAYS, asked | change, format="json")

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
        problem(api.post(REPLAYS, asked | {"release": "9"}, format="json"), status=404, code="not_found")
        candidate_scorer.is_degraded = True
        problem(api.post(REPLAYS, asked, format="json"), status=409, code="release_unusable")

        def gone(_release: str) -> None:
            raise scorer.NotKept("gone")

        monkeypatch.setattr(scorer.current(), "shadow_of", gone)
        problem(api.post(REPLAYS, asked, format="json"), status=409, code="release_unusable")
