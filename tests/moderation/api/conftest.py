"""A platform at the API: a key, a client that uses it, and a valid post to spoil."""

import copy
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient

from moderation.api.views.base import ApiView
from moderation.models import Author, Case, Complaint, Platform, Post, Revision, User
from moderation.models.platforms import Scope
from moderation.models.users import Role
from moderation.operations.accounts import api_keys
from tests.moderation.api import documented

Payload = dict[str, Any]
ClientFor = Callable[[User | None], APIClient]
ReadPost = Callable[[Case], Payload]
LEAST: Payload = {
    "external_id": "post",
    "text": "text",
    "posted_at": "2026-03-01T09:30:00Z",
    "author": {"external_id": "author"},
}
"""A post with the fields that it must have."""

WHOLE: Payload = {
    "external_id": "p-1",
    "revision": 1,
    "platform": "social",
    "text": "Has anybody seen my grey cat near the river? http://cats.example/grey",
    "language": "en-GB",
    "posted_at": "2026-02-01T10:00:00+01:00",
    "author": {
        "external_id": "a-1",
        "display_name": "Honest Author",
        "created_at": "2020-01-01T00:00:00Z",
        "email_domain": "example.org",
        "friends": 12,
        "followers": 34,
        "is_verified": False,
        "posts": 56,
    },
    "parent": {
        "external_id": "parent-0",
        "text": "Which cats do you know?",
        "author": {"external_id": "a-0", "display_name": "Editors"},
    },
    "ip": "192.0.2.7",
    "user_agent": "Mozilla/5.0",
    "links": ["http://cats.example/card"],
    "media_urls": ["http://cats.example/grey.jpg"],
    "transcripts": [
        {"captions": "WEBVTT\n\n00:01.000 --> 00:04.000\nMeet my cat\n", "language": "en", "source": "author"}
    ],
    "journey": [{"name": "open_composer", "at_ms": 0}, {"name": "press_send", "at_ms": 8200}],
    "shares": 0,
    "comments": 3,
    "views": 210,
}
"""A post with every field."""


class JsonClient(APIClient):
    """Sends bodies as JSON, unless told otherwise."""

    default_format = "json"


def client_with(secret: str) -> APIClient:
    client = JsonClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def client_of(
    platform: Platform, person: User | None, *, at: datetime, scopes: Sequence[str] = Scope.values
) -> APIClient:
    """A client whose key acts in a person's name."""
    _, secret = api_keys.issue(
        platform=platform, name="k", scopes=list(scopes), expires_at=None, acts_as=person, at=at
    )
    return client_with(secret)


@pytest.fixture(autouse=True)
def _is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare every answer with the OpenAPI document."""
    finalize = ApiView.finalize_response

    def compared(view: ApiView, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        answer = finalize(view, request, response, *args, **kwargs)
        documented.check(request, answer)
        return answer

    monkeypatch.setattr(ApiView, "finalize_response", compared)


@pytest.fixture(scope="module")
def document() -> Any:
    return Client().get("/api/v1/openapi.json").json()


@pytest.fixture
def secret(platform: Platform, at: datetime) -> str:
    """A key with every scope."""
    return api_keys.issue(platform=platform, name="test", scopes=Scope.values, expires_at=None, at=at)[1]


@pytest.fixture
def api(secret: str) -> APIClient:
    """A client of the platform."""
    return client_with(secret)


@pytest.fixture
def read(api: APIClient) -> ReadPost:
    """Return a case's post, as its platform reads it."""

    def found(case: Case) -> Payload:
        answer = api.get(f"/api/v1/posts/{case.post_id}")
        assert (answer.status_code, answer["content-type"]) == (200, "application/json")
        return dict(answer.json())

    return found


@pytest.fixture
def client_for(platform: Platform, at: datetime) -> ClientFor:
    """Make clients of the platform whose keys act for somebody, or for nobody."""
    return lambda person: client_of(platform, person, at=at)


@pytest.fixture
def lead_api(platform: Platform, lead: User, at: datetime) -> APIClient:
    """A client whose key acts in a lead's name."""
    return client_of(platform, lead, at=at)


@pytest.fixture
def other_api(db: None, at: datetime) -> APIClient:
    """A client of another platform, whose key may do everything."""
    other = Platform.objects.create(slug="other", name="Other", created_at=at)
    boss = User.objects.create_user("boss_of_another", role=Role.ADMIN)
    return client_of(other, boss, at=at)


@pytest.fixture
def payload() -> Payload:
    """A post with every field."""
    return copy.deepcopy(WHOLE)


@pytest.fixture
def complaint() -> Payload:
    """A complaint with every field."""
    return {
        "external_id": "c-1",
        "post": "p-1",
        "reporter": {"external_id": "honest_author"},
        "reason": "scam",
        "note": "asked me for money",
        "reported_at": "2026-02-01T12:00:00Z",
    }


@pytest.fixture
def nothing_stored(db: None) -> Callable[[], bool]:
    """Tell whether no row came of a refused request."""
    kinds = (Author, Post, Revision, Complaint)
    return lambda: not any(kind.objects.exists() for kind in kinds)
