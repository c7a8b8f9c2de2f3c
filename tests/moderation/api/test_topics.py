"""POST /topics:score: topics in words, asked without training."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Policy, Revision, User
from moderation.operations.policies import policy, trial
from moderation.operations.scoring import score
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.fakes import FakeTopics


def ask(api: APIClient, texts: Any, topics: Any, **headers: Any) -> Any:
    return api.post("/api/v1/topics:score", {"texts": texts, "topics": topics}, **headers)


def test_answers_a_row_for_each_text(api: APIClient, fake_topics: FakeTopics) -> None:
    answer = ask(api, ["my cats", "a fish", " "], ["cats and dogs", "fish"])

    assert answer.status_code == 200
    assert answer.json() == {
        "topics": ["cats and dogs", "fish"],
        "probabilities": [[0.8, 0.1], [0.1, 0.8], [None, None]],
    }


@pytest.mark.parametrize(
    ("texts", "topics", "pointer"),
    [
        ([], ["cats"], "/texts"),
        (["a"], [], "/topics"),
        (["a"] * 65, ["cats"], "/texts"),
        (["a"], ["cats"] * 21, "/topics"),
        (["a"], ["c" * 201], "/topics/0"),
        (["a" * 20_001], ["cats"], "/texts/0"),
        (["a"], [1], "/topics/0"),
        (["a"], ["cats", "  "], "/topics/1"),
        (["a"], ["\u200b\u202e"], "/topics/0"),
        ("a", ["cats"], "/texts"),
    ],
)
def test_refuses_what_is_out_of_bounds(
    api: APIClient, fake_topics: FakeTopics, texts: Any, topics: Any, pointer: str
) -> None:
    answer = ask(api, texts, topics)

    assert pointer in bad_fields(answer)
    assert fake_topics.asked == []


def test_says_that_the_model_is_away(api: APIClient, fake_topics: FakeTopics) -> None:
    fake_topics.is_away = True

    answer = ask(api, ["a"], ["cats"])

    problem(answer, status=503, code="unavailable")
    assert answer["Retry-After"]


def test_posts_tell_which_active_policies_they_match(
    api: APIClient, payload: dict[str, Any], fake_scorer: Any, fake_topics: FakeTopics, lead: User
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
    assert shown["policies"] == [{"id": str(made.pk), "name": "Pets", "effect": "hold", "probability": 0.8}]
