"""Shadow runs through the api: started, and read by their own platform."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from moderation import enqueue
from moderation.models import Platform, Post, ShadowRun, TrainingRun
from moderation.models.training_runs import TrainingState
from moderation.operations.learning import shadow_scoring
from moderation.operations.releases import triton
from tests.moderation.api.answers import problem
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.learning.conftest import candidate_scorer, scored, shadow_run

__all__ = ["candidate_scorer", "scored", "shadow_run"]

pytestmark = pytest.mark.django_db
CANDIDATE = "c" * 64
RUNS = "/api/v1/shadow-runs"


@pytest.fixture(autouse=True)
def _no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton, "stage", lambda *_args, **_named: None)
    monkeypatch.setattr(triton, "tidy", lambda: None)
    monkeypatch.setattr("moderation.scorer.kept", lambda _release: None)
    monkeypatch.setattr(enqueue, "messages", dict)  # what other tests enqueued, nobody took


@pytest.fixture
def trained(platform: Platform) -> TrainingRun:
    return TrainingRun.objects.create(
        platform=platform, requested_at=AT, state=TrainingState.READY, candidate=CANDIDATE, live=RELEASE_ID
    )


class TestShadowRuns:
    def test_is_started_read_and_stopped(
        self, lead_api: APIClient, shadow_run: ShadowRun, trained: TrainingRun
    ) -> None:
        body = {"training_run": str(trained.pk), "share": 0.5}
        problem(lead_api.post(RUNS, body), status=409, code="shadow_open")
        stopped = lead_api.delete(f"{RUNS}/{shadow_run.pk}")

        made = lead_api.post(RUNS, body)

        assert (stopped.status_code, made.status_code) == (204, 201)
        assert (made.json()["share"], made.json()["is_open"]) == (0.5, True)
        assert lead_api.get(made.headers["Location"]).json() == made.json()
        assert [one["is_open"] for one in lead_api.get(RUNS).json()["data"]] == [True, False]
        problem(lead_api.delete(f"{RUNS}/{shadow_run.pk}"), status=409, code="shadow_ended")

    def test_shows_disagreements_and_figures_of_the_own_posts(
        self,
        lead_api: APIClient,
        shadow_run: ShadowRun,
        trained: TrainingRun,
        candidate_scorer: FakeScorer,
        scored: Callable[..., Post],
    ) -> None:
        candidate_scorer.default = 0.95
        post = scored(external_id="post-7", text="hello")
        shadow_scoring.sweep(at=later(200))
        address = f"{RUNS}/{shadow_run.pk}"

        run, page = lead_api.get(address).json(), lead_api.get(f"{address}/disagreements").json()
        figures = lead_api.get(f"{address}/figures").json()

        assert (run["progress"]["scored"], run["progress"]["differing"]) == (1, 1)
        [one] = page["data"]
        assert one["post"]["external_id"] == post.external_id
        assert one["candidate"] == {"route": "remove", "spam_probability": 0.95}
        assert {row["dimension"] for row in figures["differences"]} >= {"all", "platform"}
        assert figures["rates"]

    def test_of_others_is_not_there(
        self,
        lead_api: APIClient,
        other_api: APIClient,
        shadow_run: ShadowRun,
        trained: TrainingRun,
        scored: Callable[..., Post],
        candidate_scorer: FakeScorer,
        platform: Platform,
    ) -> None:
        candidate_scorer.default = 0.95
        scored(text="hello")
        shadow_scoring.sweep(at=later(200))

        assert other_api.get(RUNS).json()["data"] == []
        for end in ("", "/disagreements", "/figures"):
            problem(other_api.get(f"{RUNS}/{shadow_run.pk}{end}"), status=404, code="not_found")
        figures = lead_api.get(f"{RUNS}/{shadow_run.pk}/figures").json()
        slices = {(row["dimension"], row["slice"]) for row in figures["differences"]}
        assert slices <= {("platform", platform.slug)}
        assert figures["rates"] == []
