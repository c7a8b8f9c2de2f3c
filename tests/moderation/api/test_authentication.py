"""Keys at the api, and their limits; tests/security/test_foreign_hands.py tries every operation."""

import re
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from moderation.models import ApiKey, Platform, Post
from moderation.models.platforms import Scope
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import JsonClient, Payload, client_of
from tests.moderation.conftest import Later


def client(authorization: str) -> APIClient:
    """A client with this header."""
    made = JsonClient()
    made.credentials(HTTP_AUTHORIZATION=authorization)
    return made


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


class TestKey:
    @pytest.mark.django_db
    def test_who_has_no_key_is_told_of_it(self) -> None:
        response = APIClient().get("/api/v1/decisions")

        problem(response, status=401, code="not_authenticated")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")

    def test_who_lacks_a_scope_is_told_which(self, platform: Platform, at: datetime) -> None:
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
    def test_refuses_what_is_no_key(self, authorization: str, code: str) -> None:
        problem(client(authorization).get("/api/v1/decisions"), status=401, code=code)

    @pytest.mark.parametrize("end", ["revoked", "expired"])
    def test_that_has_ended_stores_nothing(
        self, secret: str, payload: Payload, nothing_stored: Callable[[], bool], end: str
    ) -> None:
        ended_at = {"revoked": "revoked_at", "expired": "expires_at"}[end]
        ApiKey.objects.update(**{ended_at: timezone.now() - timedelta(seconds=1)})

        response = client(f"Bearer {secret}").post("/api/v1/posts", payload)

        problem(response, status=401, code=f"{end}_key")
        assert nothing_stored()

    def test_the_scheme_may_be_written_small(self, secret: str) -> None:
        assert client(f"bearer {secret}").get("/api/v1/decisions").status_code == 200


BUCKET = Bucket(name="posts", per_minute=60, burst=3)


@pytest.fixture
def owner() -> str:
    """Somebody whose bucket is full."""
    return uuid.uuid4().hex


class TestTake:
    def test_holds_a_burst_and_fills_evenly(self, owner: str, later: Later) -> None:
        left = [limits.take(bucket=BUCKET, owner=owner, at=later(0)) for _ in range(3)]

        assert [taken and taken.remaining for taken in left] == [2, 1, 0]
        with pytest.raises(limits.LimitReached) as reached:
            limits.take(bucket=BUCKET, owner=owner, at=later(0))
        assert reached.value.taken.reset_seconds == 1
        assert limits.take(bucket=BUCKET, owner=owner, at=later(1))

    def test_a_request_above_the_burst_passes_once_and_is_paid_for(self, owner: str, later: Later) -> None:
        assert limits.take(bucket=BUCKET, owner=owner, at=later(0), cost=30)

        with pytest.raises(limits.LimitReached) as reached:
            limits.take(bucket=BUCKET, owner=owner, at=later(0))
        assert reached.value.taken.reset_seconds == 28

    def test_owners_do_not_share(self, owner: str, later: Later) -> None:
        limits.take(bucket=BUCKET, owner=owner, at=later(0), cost=3)

        assert limits.take(bucket=BUCKET, owner=owner + "2", at=later(0))

    def test_no_owner_is_named_in_the_store(self, owner: str, later: Later) -> None:
        limits.take(bucket=BUCKET, owner=f"{owner}:xyzzy", at=later(0))

        with redis.Redis.from_url(settings.CELERY_BROKER_URL) as store:
            assert [name for name in store.scan_iter("spamdesk:limit:*") if b"xyzzy" in name] == []

    @pytest.mark.whole
    def test_without_the_store_nobody_is_refused(
        self, owner: str, later: Later, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lost = redis.Redis(port=1, socket_connect_timeout=0.1).register_script(limits._TAKE)
        monkeypatch.setattr(limits, "_script", lambda: lost)
        monkeypatch.setattr(limits._Store, "paused_until", 0.0)

        assert [limits.take(bucket=BUCKET, owner=owner, at=later(0)) for _ in range(5)] == [None] * 5


class TestApiClient:
    def test_tells_what_is_left_and_refuses_with_the_seconds_to_wait(
        self, api: APIClient, payload: dict[str, Any]
    ) -> None:
        ApiKey.objects.update(posts_per_minute=6)

        first = api.post("/api/v1/posts", payload)
        second = api.post("/api/v1/posts", payload)

        assert first.headers["RateLimit-Policy"] == '"posts";q=1;w=10'
        assert first.headers["RateLimit"] == '"posts";r=0;t=10'
        problem(second, status=429, code="rate_limited")
        assert 1 <= int(second.headers["Retry-After"]) <= 10
        assert api.get("/api/v1/decisions").status_code == 200  # reading is counted apart

    def test_a_bulk_request_costs_its_lines(self, api: APIClient) -> None:
        ApiKey.objects.update(posts_per_minute=6_000)

        answer = api.post("/api/v1/posts:bulk", "{}\n" * 400, content_type="application/x-ndjson")

        [left] = re.findall(r'"posts";r=(\d+);', answer.headers["RateLimit"])
        assert 600 <= int(left) < 700  # some are given back while the lines are read

    def test_one_reporter_cannot_flood(
        self, api: APIClient, complaint: dict[str, Any], settings: Settings
    ) -> None:
        settings.COMPLAINTS_PER_REPORTER_BURST, settings.COMPLAINTS_PER_REPORTER_PER_MINUTE = 3, 1
        reporter = {"external_id": uuid.uuid4().hex}
        bodies = [complaint | {"post": f"p-{n}", "reporter": reporter} for n in range(4)]
        answers = [api.post("/api/v1/complaints", body) for body in bodies]

        assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
        others = complaint | {"reporter": {"external_id": uuid.uuid4().hex}}
        assert api.post("/api/v1/complaints", others).status_code == 202
