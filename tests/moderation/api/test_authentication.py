"""Keys at the api: what the others are told; tests/security/test_foreign_hands.py tries every operation."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import ApiKey, Platform, Post
from moderation.models.platforms import Scope
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import JsonClient, Payload, client_of


def client(authorization: str) -> APIClient:
    """A client with this header."""
    made = JsonClient()
    made.credentials(HTTP_AUTHORIZATION=authorization)
    return made


@pytest.mark.django_db
def test_who_has_no_key_is_told_of_it() -> None:
    response = APIClient().get("/api/v1/decisions")

    problem(response, status=401, code="not_authenticated")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_who_lacks_a_scope_is_told_which(platform: Platform, at: datetime) -> None:
    lacking = client_of(platform, None, scopes=[Scope.POSTS_WRITE], at=at)

    answer = problem(lacking.get("/api/v1/decisions"), status=403, code="missing_scope")

    assert Scope.VERDICTS_READ in answer["detail"]


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

    response = client(f"Bearer {secret}").post("/api/v1/posts", payload)

    problem(response, status=401, code="revoked_key")
    assert nothing_stored()


def test_an_expired_key_opens_nothing(secret: str) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    problem(client(f"Bearer {secret}").get("/api/v1/decisions"), status=401, code="expired_key")


def test_the_scheme_may_be_written_small(secret: str) -> None:
    assert client(f"bearer {secret}").get("/api/v1/decisions").status_code == 200


class TestOtherPlatform:
    def test_sees_no_post_of_ours(self, api: APIClient, other_api: APIClient, payload: Payload) -> None:
        api.post("/api/v1/posts", payload)

        problem(other_api.get("/api/v1/posts?external_id=p-1"), status=404, code="not_found")

    def test_has_its_own_of_the_same_id(self, api: APIClient, other_api: APIClient, payload: Payload) -> None:
        del payload["platform"]
        ours = api.post("/api/v1/posts", payload).json()

        theirs = other_api.post("/api/v1/posts", payload | {"text": "Something else"}).json()

        assert theirs["id"] != ours["id"]
        assert Post.objects.count() == 2
