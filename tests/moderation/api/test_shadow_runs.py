"""Shadow runs and canaries through the api: started, read by their own platform, and with two names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation import enqueue
from moderation.models import CanaryRun, Platform, Post, ShadowRun, TrainingRun, User
from moderation.models.canary import CanaryEnd
from moderation.models.platforms import Scope
from moderation.models.training_runs import TrainingState
from moderation.models.users import Role
from moderation.operations.accounts import api_keys
from moderation.operations.learning import shadow_scoring
from moderation.operations.releases import triton
from tests.moderation.api.answers import problem
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.operations.learning.conftest import candidate_scorer, scored, shadow_run

__all__ = ["candidate_scorer", "scored", "shadow_run"]

pytestmark = pytest.mark.django_db
CANDIDATE = "c" * 64
RUNS, CANARIES = "/api/v1/shadow-runs", "/api/v1/canaries"
Later = Callable[[float], datetime]


@pytest.fixture(autouse=True)
def _no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton, "stage", lambda *_args, **_named: None)
    monkeypatch.setattr(triton, "tidy", lambda: None)
    monkeypatch.setattr("moderation.scorer.kept", lambda _release: None)
    monkeypatch.setattr(enqueue, "scoring_backlog", lambda: 0)  # what other tests enqueued, nobody took


@pytest.fixture
def trained(platform: Platform, at: datetime) -> TrainingRun:
    return TrainingRun.objects.create(
        platform=platform,
        requested_at=at,
        state=TrainingState.READY,
        candidate=CANDIDATE,
        live=RELEASE_ID,
    )


@pytest.fixture
def second_api(platform: Platform, at: datetime) -> APIClient:
    """A client whose key acts for another lead."""
    person = User.objects.create_user("second_lead", role=Role.LEAD)
    _, secret = api_keys.issue(
        platform=platform, name="second", scopes=Scope.values, expires_at=None, acts_as=person, at=at
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


class TestShadowRuns:
    def test_is_started_read_and_stopped(
        self, lead_api: APIClient, shadow_run: ShadowRun, trained: TrainingRun
    ) -> None:
        body = {"training_run": str(trained.pk), "share": 0.5}
        problem(lead_api.post(RUNS, body, format="json"), status=409, code="shadow_open")
        stopped = lead_api.delete(f"{RUNS}/{shadow_run.pk}")

        made = lead_api.post(RUNS, body, format="json")

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
        later: Later,
    ) -> None:
        candidate_scorer.default = 0.95
        post = scored(external_id="post-7", text="hello")
        shadow_scoring.sweep(at=later(200))
        address = f"{RUNS}/{shadow_run.pk}"

        run, page = lead_api.get(address).json(), lead_api.get(f"{address}/disagreements").json()
        figures = lead_api.get(f"{address}/figures").json()

        assert (run["progress"]["scored"], run["progress"]["differing"]) == (1, 1)
        [one] = page["data"]
        assert (one["post"]["external_id"], one["candidate"]) == (
            post.external_id,
            {"route": "remove", "spam_probability": 0.95},
        )
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
        later: Later,
    ) -> None:
        candidate_scorer.default = 0.95
        scored(text="hello")
        shadow_scoring.sweep(at=later(200))

        assert other_api.get(RUNS).json()["data"] == []
        for end in ("", "/disagreements", "/figures"):
            problem(other_api.get(f"{RUNS}/{shadow_run.pk}{end}"), status=404, code="not_found")
        figures = lead_api.get(f"{RUNS}/{shadow_run.pk}/figures").json()
        assert {(row["dimension"], row["slice"]) for row in figures["differences"]} <= {
            ("platform", platform.slug)
        }
        assert figures["rates"] == []


class TestCanaries:
    def test_needs_two_names_and_ends_at_one_press(
        self,
        lead_api: APIClient,
        second_api: APIClient,
        shadow_run: ShadowRun,
        trained: TrainingRun,
        scored: Callable[..., Post],
    ) -> None:
        made = lead_api.post(CANARIES, {"shadow_run": str(shadow_run.pk), "share": 0.1}, format="json")
        address = made.headers["Location"]
        problem(lead_api.post(f"{address}/confirmation"), status=409, code="own_proposal")

        started = second_api.post(f"{address}/confirmation").json()
        ended = lead_api.delete(address)

        assert (made.status_code, made.json()["state"], made.json()["is_own"]) == (201, "proposed", True)
        assert (started["state"], started["is_own"], ended.status_code) == ("running", False, 204)
        assert lead_api.get(address).json()["end"] == CanaryEnd.PERSON
        assert [one["state"] for one in lead_api.get(CANARIES).json()["data"]] == ["ended"]
        problem(lead_api.delete(address), status=409, code="canary_ended")

    def test_asks_the_database_as_often_for_many_as_for_one(
        self,
        lead_api: APIClient,
        lead: User,
        shadow_run: ShadowRun,
        trained: TrainingRun,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        at = shadow_run.started_at
        ended = {"candidate": CANDIDATE, "live": RELEASE_ID, "share": 0.1, "stopped_at": at}
        for _ in range(9):
            CanaryRun.objects.create(shadow=shadow_run, proposed_by=lead, proposed_at=at, **ended)

        with django_assert_max_num_queries(5):  # of the key two, of other platforms two
            assert len(lead_api.get(CANARIES).json()["data"]) == 9

    def test_is_refused_to_other_people_and_shares(
        self,
        api: APIClient,
        lead_api: APIClient,
        other_api: APIClient,
        shadow_run: ShadowRun,
        trained: TrainingRun,
    ) -> None:
        body = {"shadow_run": str(shadow_run.pk), "share": 0.1}

        problem(api.post(CANARIES, body, format="json"), status=403, code="nobody_behind_key")
        problem(other_api.post(CANARIES, body, format="json"), status=404, code="not_found")
        answer = lead_api.post(CANARIES, body | {"share": 0.6}, format="json")
        problem(answer, status=422, code="invalid_fields")
        assert not CanaryRun.objects.exists()
