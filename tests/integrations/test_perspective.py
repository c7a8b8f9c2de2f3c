"""Perspective's calls: SPAM is answered, nothing else is."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from integrations import platform_verdicts
from moderation.models import Case, Complaint, Platform, Post, User
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from tests.moderation.fakes import FakeScorer

ANALYZE, SUGGEST = "/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore"


@pytest.fixture
def secret(platform: Platform, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    fake_scorer.probabilities |= {"Cheap pills!": 0.6, "A cat.": 0.05}
    return issued(platform, Scope.POSTS_WRITE, Scope.VERDICTS_READ, Scope.COMPLAINTS_WRITE)


def issued(platform: Platform, *scopes: Scope) -> str:
    at = timezone.now()
    return api_keys.issue(platform=platform, name="bot", scopes=scopes, expires_at=None, at=at)[1]


def body(text: str = "Cheap pills!", **more: Any) -> dict[str, Any]:
    return {"comment": {"text": text}, "requestedAttributes": {"SPAM": {}}, "languages": ["en"]} | more


def call(client: Client, secret: str, given: object, path: str = ANALYZE) -> Any:
    return client.post(f"{path}?key={secret}", given, content_type="application/json")


@pytest.mark.parametrize(("is_private", "kept"), [(True, 0), (False, 1)])
def test_answers_spam_and_keeps_what_it_may(
    client: Client, secret: str, lead: User, is_private: bool, kept: int
) -> None:
    given = body(doNotStore=is_private, clientToken="t", sessionId="s")

    answer = call(client, secret, given)

    assert answer.status_code == 200
    assert answer.json() | {"attributeScores": {}} == {
        "attributeScores": {}, "languages": ["en"], "clientToken": "t"
    }  # fmt: skip
    spam = answer.json()["attributeScores"]["SPAM"]
    assert spam["summaryScore"] == {"value": pytest.approx(0.6), "type": "PROBABILITY"}
    assert Post.objects.count() == kept
    strict = given | {"requestedAttributes": {"SPAM": {"scoreThreshold": 0.7}}}
    assert call(client, secret, strict).json()["attributeScores"] == {}


def test_a_persons_decision_is_the_score(client: Client, secret: str, lead: User, platform: Platform) -> None:
    call(client, secret, body())
    post, at = Post.objects.get(), timezone.now() - timedelta(minutes=5)
    platform_verdicts.record(
        platform=platform, external_id=post.external_id, verdict=Verdict.NOT_SPAM, moderator=lead, at=at
    )

    score = call(client, secret, body()).json()["attributeScores"]["SPAM"]["summaryScore"]

    assert score["value"] == 0.0


def test_suggestions_are_complaints_and_appeals(client: Client, secret: str) -> None:
    for text, value in (("Cheap pills!", 1), ("A cat.", 0.0)):
        given = {"comment": {"text": text}, "attributeScores": {"SPAM": {"summaryScore": {"value": value}}}}
        assert call(client, secret, given, SUGGEST).status_code == 200
    given["attributeScores"] = {"SPAM": {}}
    assert call(client, secret, given, SUGGEST).json()["error"]["message"] == "Missing summaryScore"

    assert Complaint.objects.get().post == Post.objects.get(revisions__text="Cheap pills!")
    assert Case.objects.get(reason="appealed").post == Post.objects.get(revisions__text="A cat.")


@pytest.mark.parametrize(
    ("given", "said", "kind"),
    [
        (body(requestedAttributes={"TOXICITY": {}, "SPAM": {}}), "Unknown requested attribute: TOXICITY", ""),
        (body(requestedAttributes={}), "Missing requestedAttributes", "NO_REQUESTED_ATTRIBUTES"),
        (body(" "), "Comment must be non-empty.", "COMMENT_EMPTY"),
        (body("ü" * 10_241), "Comment text too long.", "COMMENT_TOO_LONG"),
        (body(comment={"text": "<b>", "type": "HTML"}), "Currently, only 'PLAIN_TEXT' comments", ""),
        (body(comment=["x"]), "Invalid value at 'comment'.", ""),
        (body("nul \0"), "Null characters are not allowed.", ""),
        (["x"], "Invalid value at 'requestedAttributes'.", ""),
        ("{", "", ""),
    ],
)
def test_refuses_as_perspective_does(
    client: Client, secret: str, given: object, said: str, kind: str
) -> None:
    answer = call(client, secret, given)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert said in error["message"]
    assert error["details"][0]["errorType"] == (kind or "INVALID_REQUEST")
    assert not Post.objects.exists()


def test_needs_a_key_with_scopes(client: Client, secret: str, platform: Platform) -> None:
    assert call(client, "", body()).json()["error"]["status"] == "INVALID_ARGUMENT"
    assert call(client, "sk_test_none", body()).status_code == 400
    few = issued(platform, Scope.VERDICTS_READ)
    assert call(client, few, body()).json()["error"]["status"] == "PERMISSION_DENIED"


def test_says_that_the_content_model_is_away(client: Client, secret: str, fake_scorer: FakeScorer) -> None:
    fake_scorer.is_degraded = True

    answer = call(client, secret, body())

    assert answer.json()["error"]["status"] == "UNAVAILABLE"
    assert (answer.headers["Content-Type"], "Retry-After" in answer.headers) == ("application/json", True)
