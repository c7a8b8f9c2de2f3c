"""Keys at the api: who gets in, with what, and what the others are told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import ApiKey, Platform, Post
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from tests.moderation.api.answers import problem

Payload = dict[str, Any]

EVERY_VIEW = [
    ("POST", "/api/v1/posts", Scope.POSTS_WRITE),
    ("POST", "/api/v1/posts:bulk", Scope.POSTS_WRITE),
    ("GET", "/api/v1/posts", Scope.VERDICTS_READ),
    ("GET", "/api/v1/posts/1", Scope.VERDICTS_READ),
    ("POST", "/api/v1/complaints", Scope.COMPLAINTS_WRITE),
    ("GET", "/api/v1/decisions", Scope.VERDICTS_READ),
]


def client(authorization: str) -> APIClient:
    """A client with this header."""
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=authorization)
    return made


@pytest.mark.parametrize(("method", "address", "scope"), EVERY_VIEW)
class TestEveryView:
    @pytest.mark.django_db
    def test_needs_a_key(self, method: str, address: str, scope: Scope) -> None:
        response = APIClient().generic(method, address)

        problem(response, status=401, code="not_authenticated")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")

    def test_needs_its_scope(
        self, platform: Platform, at: datetime, method: str, address: str, scope: Scope
    ) -> None:
        others = [other for other in Scope.values if other != scope]
        secret = api_keys.issue(platform=platform, name="k", scopes=others, expires_at=None, at=at)[1]

        answer = problem(
            client(f"Bearer {secret}").generic(method, address), status=403, code="missing_scope"
        )

        assert scope in answer["detail"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("Bearer", "invalid_key"),
        ("Bearer ", "invalid_key"),
        ("Bearer sk_test_short", "invalid_key"),
        ("Bearer sk_test_" + "a" * 48, "invalid_key"),
        ("Bearer " + "a" * 8_000, "invalid_key"),
        ("Bearer sk_test_\0" + "a" * 47, "invalid_key"),
        ("Bearer sk_test_é" + "a" * 47, "invalid_key"),
        ("Basic bW9kZXJhdG9yOmRlbW8=", "not_authenticated"),
    ],
)
def test_refuses_what_is_no_key(authorization: str, code: str) -> None:
    problem(client(authorization).get("/api/v1/decisions"), status=401, code=code)


def test_a_refused_key_stores_nothing(
    platform: Platform, secret: str, payload: Payload, nothing_stored: Callable[[], bool]
) -> None:
    ApiKey.objects.update(revoked_at=timezone.now())

    response = client(f"Bearer {secret}").post("/api/v1/posts", payload, format="json")

    problem(response, status=401, code="revoked_key")
    assert nothing_stored()


def test_an_expired_key_opens_nothing(secret: str) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    problem(client(f"Bearer {secret}").get("/api/v1/decisions"), status=401, code="expired_key")


def test_the_scheme_may_be_written_small(secret: str) -> None:
    assert client(f"bearer {secret}").get("/api/v1/decisions").status_code == 200


class TestOtherPlatform:
    @pytest.fixture
    def stranger(self, at: datetime) -> APIClient:
        """A client of another platform, with every scope."""
        other = Platform.objects.create(slug="other", name="Other", created_at=at)
        secret = api_keys.issue(platform=other, name="k", scopes=Scope.values, expires_at=None, at=at)[1]
        return client(f"Bearer {secret}")

    def test_sees_no_post_of_ours(self, api: APIClient, stranger: APIClient, payload: Payload) -> None:
        post = api.post("/api/v1/posts", payload, format="json").json()

        problem(stranger.get(f"/api/v1/posts/{post['id']}"), status=404, code="not_found")
        problem(stranger.get("/api/v1/posts?external_id=p-1"), status=404, code="not_found")

    def test_has_its_own_post_of_the_same_id(
        self, api: APIClient, stranger: APIClient, payload: Payload
    ) -> None:
        del payload["platform"]
        ours = api.post("/api/v1/posts", payload, format="json").json()

        theirs = stranger.post("/api/v1/posts", payload | {"text": "Something else"}, format="json").json()

        assert theirs["id"] != ours["id"]
        assert Post.objects.count() == 2
