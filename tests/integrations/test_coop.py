"""Coop's report call as a way to send complaints."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Complaint, Platform, Post
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys

REPORT: dict[str, Any] = {
    "reporter": {"kind": "user", "typeId": "u", "id": "ann"},
    "reportedAt": "2026-09-01T10:30:00.000Z",
    "reportedForReason": {"policyId": "SCAM", "reason": "A fake prize", "csam": False},
    "reportedItem": {
        "id": "item-7",
        "typeId": "comment",
        "data": {
            "title": "Free",
            "text": "You won.",
            "creatorId": {"id": "bob", "typeId": "u"},
            "images": [3],
        },
    },
    "reportedItemThread": [{"id": "other", "data": {"content": "x"}, "typeId": "comment"}],
}


def send(client: Client, platform: Platform, report: object, *more: Scope) -> Any:
    scopes, at = [Scope.COMPLAINTS_WRITE, *more], timezone.now()
    secret = api_keys.issue(platform=platform, name="coop", scopes=scopes, expires_at=None, at=at)[1]
    return client.post(
        "/api/v1/report", report, content_type="application/json", headers={"X-API-KEY": secret}
    )


@pytest.fixture(autouse=True)
def no_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)


def test_stores_a_complaint_and_what_the_item_says(client: Client, platform: Platform) -> None:
    for _ in range(2):
        answer = send(client, platform, REPORT, Scope.POSTS_WRITE)

    complaint = Complaint.objects.select_related("post__author").get()
    assert (answer.status_code, answer.json()) == (201, {"reportId": str(complaint.pk)})
    assert (complaint.reason, complaint.note, complaint.reporter.external_id) == (
        "scam",
        "A fake prize",
        "ann",
    )
    assert complaint.post is not None
    assert (complaint.post.external_id, complaint.post.author.external_id) == ("item-7", "bob")
    assert complaint.post.revisions.get().text == "Free\n\nYou won."


@pytest.mark.parametrize(
    ("item", "scopes"),
    [({}, [Scope.POSTS_WRITE]), ({"data": {"n": 1}}, [Scope.POSTS_WRITE]), ({"data": None}, [])],
)
def test_waits_for_a_post_whose_words_are_not_told(
    client: Client, platform: Platform, item: dict[str, Any], scopes: list[Scope]
) -> None:
    given = {"id": "item-7", "typeId": "comment"} | item

    answer = send(client, platform, REPORT | {"reportedItem": given, "reportedForReason": None}, *scopes)

    assert answer.status_code == 201
    assert Complaint.objects.get().reason == "other"
    assert not Post.objects.exists()


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"reporter": {}}, "/reporter/id"),
        ({"reportedAt": "soon"}, "/reportedAt"),
        ({"reportedItem": "item-7"}, "/reportedItem"),
        ({"reportedForReason": {"csam": True}}, "/reportedForReason/csam"),
        ({"reportedItem": {"id": "a", "data": {"text": "nul \0"}}}, "/text"),
    ],
)
def test_refuses_with_a_problem(
    client: Client, platform: Platform, changed: dict[str, Any], pointer: str
) -> None:
    answer = send(client, platform, REPORT | changed, Scope.POSTS_WRITE)

    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert not Complaint.objects.exists()


def test_needs_a_key(client: Client, platform: Platform) -> None:
    assert client.post("/api/v1/report", REPORT, content_type="application/json").status_code == 401
    key = api_keys.issue(
        platform=platform, name="k", scopes=["posts:write"], expires_at=None, at=timezone.now()
    )
    headers = {"X-API-KEY": key[1]}
    answer = client.post("/api/v1/report", REPORT, content_type="application/json", headers=headers)
    assert answer.status_code == 403
