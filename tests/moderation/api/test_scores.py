"""Scores while the sender waits, within a budget; topics in words, asked without training."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from moderation import scorer
from moderation.models import Case, Decision, Policy, Revision, Score, ScoringJob, User
from moderation.models.posts import ScoreState
from moderation.operations.policies import policy, trial
from moderation.operations.scoring import score
from moderation.queries.cases.scored_post import leading_contributions
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload
from tests.moderation.fakes import FakeScorer, FakeTopics


def ask(api: APIClient, payload: Payload, **headers: Any) -> Any:
    return api.post("/api/v1/scores", payload, **headers)


@pytest.mark.usefixtures("fake_scorer")
class TestInTime:
    @pytest.mark.parametrize(
        ("probability", "verdict", "route"),
        [(0.05, "not_spam", "allow"), (0.5, "undecided", "review"), (0.97, "spam", "remove")],
    )
    def test_tells_verdict_and_route(
        self,
        api: APIClient,
        payload: Payload,
        fake_scorer: FakeScorer,
        probability: float,
        verdict: str,
        route: str,
    ) -> None:
        fake_scorer.default = probability

        answer = ask(api, payload).json()

        assert (answer["verdict"], answer["route"]) == (verdict, route)
        assert answer["spam_probability"] == probability
        assert answer["is_degraded"] is False
        assert (answer["case_id"] is not None) is (verdict == "undecided")
        assert (answer["decision_id"] is not None) is (verdict != "undecided")

    @pytest.mark.parametrize(("probability", "first"), [(0.9, "content.text"), (0.1, "social.posts")])
    def test_leads_with_what_speaks_for_the_verdict(self, probability: float, first: str) -> None:
        """Most of what is known of the account was withheld, so it is not what moved the score."""
        reasons = [["social.posts", 9.0, -4.0], ["bounds.withheld", 3.6, 3.6], ["content.text", 0.9, 2.2]]
        score = Score(spam_probability=probability, contributions=reasons)

        found = leading_contributions(score, most=5)

        assert (found[0][0], len(found)) == (first, 2)
        assert sum(share for *_, share in found) == pytest.approx(1.8)

    def test_stores_what_the_tasks_would_store(
        self, api: APIClient, payload: Payload, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.97

        ask(api, payload)

        assert ScoringJob.objects.get().state == ScoreState.SCORED
        assert Decision.objects.get().score == Score.objects.get()

    def test_a_repeated_request_is_scored_once(
        self, api: APIClient, payload: Payload, fake_scorer: FakeScorer
    ) -> None:
        first, again = ask(api, payload).json(), ask(api, payload).json()

        assert fake_scorer.asked == 1
        assert {**first, "took_ms": 0} == {**again, "took_ms": 0}

    def test_works_under_a_key(self, api: APIClient, payload: Payload) -> None:
        key = {"HTTP_IDEMPOTENCY_KEY": "v-1"}

        assert ask(api, payload, **key).json() == ask(api, payload, **key).json()
        assert Case.objects.count() == 1


@pytest.mark.usefixtures("fake_scorer")
class TestOutOfTime:
    def test_a_content_model_that_is_late_leaves_a_degraded_score(
        self, api: APIClient, payload: Payload, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.is_degraded = True

        answer = ask(api, payload).json()

        assert (answer["is_degraded"], answer["verdict"]) == (True, "undecided")
        assert ScoringJob.objects.get().state == ScoreState.DEGRADED

    def test_without_any_time_the_post_is_stored_for_the_tasks(
        self, api: APIClient, payload: Payload, settings: Settings
    ) -> None:
        settings.SCORE_NOW_BUDGET_MS = 0

        answer = ask(api, payload)

        assert answer.status_code == 200
        assert (answer.json()["is_degraded"], answer.json()["release"]) == (True, None)
        assert ScoringJob.objects.get().state == ScoreState.PENDING

    @pytest.mark.parametrize("headers", [{}, {"HTTP_IDEMPOTENCY_KEY": "v-1"}])
    def test_a_failure_leaves_the_post_for_the_tasks(
        self, api: APIClient, payload: Payload, fake_scorer: FakeScorer, headers: dict[str, str]
    ) -> None:
        fake_scorer.poisonous = payload["text"]

        answer = ask(api, payload, **headers)

        assert (answer.status_code, answer.json()["verdict"]) == (200, "undecided")
        assert ScoringJob.objects.get().state == ScoreState.PENDING


@pytest.mark.usefixtures("fake_scorer")
def test_has_a_burst_of_its_own(api: APIClient, payload: Payload, settings: Settings) -> None:
    settings.SCORE_NOW_PER_MINUTE, settings.SCORE_NOW_BURST = 6, 1
    ask(api, payload)

    problem(ask(api, payload), status=429, code="rate_limited")
    assert api.post("/api/v1/posts", payload).status_code == 202


@pytest.mark.usefixtures("fake_scorer")
def test_a_process_that_still_loads_answers_without_a_score(
    api: APIClient, payload: Payload, monkeypatch: pytest.MonkeyPatch
) -> None:
    def low_latency(_release_id: str) -> None:
        raise scorer.Loading("just begun")

    monkeypatch.setattr(scorer.current(), "low_latency", low_latency)

    answer = ask(api, payload)

    assert (answer.status_code, answer.json()["route"]) == (200, None)
    assert ScoringJob.objects.get().state == ScoreState.PENDING


@pytest.mark.usefixtures("fake_scorer")
class TestNotStored:
    def test_answers_as_if_it_had_arrived_and_keeps_nothing(
        self, api: APIClient, payload: Payload, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.97

        answer = ask(api, payload | {"store": False}).json()

        assert (answer["verdict"], answer["route"], answer["is_degraded"]) == ("spam", "remove", False)
        assert (answer["id"], answer["decision_id"], answer["case_id"]) == (None, None, None)
        assert answer["external_id"] == payload["external_id"]
        assert not Revision.objects.exists()
        assert not Score.objects.exists()

    def test_is_stored_when_told_so(self, api: APIClient, payload: Payload) -> None:
        assert ask(api, payload | {"store": True}).json()["id"] is not None

    def test_a_value_that_is_neither_is_refused(self, api: APIClient, payload: Payload) -> None:
        assert bad_fields(ask(api, payload | {"store": "no"})).keys() == {"/store"}
        assert not Revision.objects.exists()


def ask_topics(api: APIClient, texts: Any, topics: Any, **headers: Any) -> Any:
    return api.post("/api/v1/topics:score", {"texts": texts, "topics": topics}, **headers)


class TestTopics:
    def test_answers_a_row_for_each_text(self, api: APIClient, fake_topics: FakeTopics) -> None:
        answer = ask_topics(api, ["my cats", "a fish", " "], ["cats and dogs", "fish"])

        assert answer.status_code == 200
        assert answer.json() == {
            "topics": ["cats and dogs", "fish"],
            "probabilities": [[0.8, 0.1], [0.1, 0.8], [None, None]],
        }

    @pytest.mark.parametrize(
        ("texts", "topics", "pointer"),
        [([], ["cats"], "/texts"), (["a"], [], "/topics"), (["a"] * 65, ["cats"], "/texts"),
         (["a"], ["cats"] * 21, "/topics"), (["a"], ["c" * 201], "/topics/0"),
         (["a" * 20_001], ["cats"], "/texts/0"), (["a"], [1], "/topics/0"),
         (["a"], ["cats", "  "], "/topics/1"), (["a"], ["\u200b\u202e"], "/topics/0"),
         ("a", ["cats"], "/texts")],
    )  # fmt: skip
    def test_refuses_what_is_out_of_bounds(
        self, api: APIClient, fake_topics: FakeTopics, texts: Any, topics: Any, pointer: str
    ) -> None:
        answer = ask_topics(api, texts, topics)

        assert pointer in bad_fields(answer)
        assert fake_topics.asked == []

    def test_says_that_the_model_is_away(self, api: APIClient, fake_topics: FakeTopics) -> None:
        fake_topics.is_away = True

        answer = ask_topics(api, ["a"], ["cats"])

        problem(answer, status=503, code="unavailable")
        assert answer["Retry-After"]

    def test_posts_tell_which_active_policies_they_match(
        self, api: APIClient, payload: dict[str, Any], fake_scorer: Any, fake_topics: FakeTopics, lead: User
    ) -> None:
        now = timezone.now()
        fake_scorer.default = 0.01
        made: Policy = policy.draft(name="Pets", words="cats", actor=lead, at=now)
        trial.run(policy_id=made.pk, at=now)
        ends = now + timedelta(days=1)
        policy.activate(policy_id=made.pk, effect="hold", threshold=0.5, expires_at=ends, actor=lead, at=now)

        stored = api.post("/api/v1/posts", payload | {"text": "my cats"}).json()
        score.run(revision_ids=[Revision.objects.get().pk], at=timezone.now())

        shown = api.get(f"/api/v1/posts/{stored['id']}").json()
        assert shown["scores"][0]["route_reason"] == "hold"
        assert shown["policies"] == [
            {"id": str(made.pk), "name": "Pets", "effect": "hold", "probability": 0.8}
        ]
