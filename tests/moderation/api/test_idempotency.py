"""Idempotency-Key: done once, answered alike."""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Platform, Post, SigningSecret, StoredAnswer
from moderation.operations.erasure import erase
from moderation.operations.infrastructure import idempotency
from moderation.operations.infrastructure.idempotency import Answer
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import Payload
from tests.moderation.api.routes import OPERATIONS
from tests.moderation.conftest import Later

POSTS = [re.sub(r"{\w+}", "1", path) for method, path in OPERATIONS if method == "POST"]
KEY: dict[str, Any] = {"HTTP_IDEMPOTENCY_KEY": "order-66"}


def send(api: APIClient, payload: Payload, **headers: Any) -> Any:
    return api.post("/api/v1/posts", payload, **headers)


class TestRepeated:
    def test_gets_status_body_and_location_of_the_first(self, api: APIClient, payload: Payload) -> None:
        first = send(api, payload, **KEY)
        again = send(api, payload, **KEY)

        assert (again.status_code, again.json()) == (first.status_code, first.json())
        assert again.headers["Location"] == first.headers["Location"]
        assert again.headers["Idempotent-Replayed"] == "true"
        assert "Idempotent-Replayed" not in first.headers

    def test_does_nothing_twice(self, api: APIClient, payload: Payload) -> None:
        send(api, payload, **KEY)
        Post.objects.all().delete()

        assert send(api, payload, **KEY).status_code == 202
        assert not Post.objects.exists()

    def test_with_another_body_or_at_another_address_is_refused(
        self, api: APIClient, payload: Payload, complaint: Payload
    ) -> None:
        send(api, payload, **KEY)

        for answer in (
            send(api, payload | {"text": "Other"}, **KEY),
            api.post("/api/v1/complaints", complaint, **KEY),
        ):
            problem(answer, status=422, code="idempotency_key_reused")

    def test_after_a_day_is_a_new_request(self, api: APIClient, payload: Payload) -> None:
        send(api, payload, **KEY)
        StoredAnswer.objects.update(answered_at=timezone.now() - timedelta(hours=24))

        assert "Idempotent-Replayed" not in send(api, payload | {"external_id": "p-2"}, **KEY).headers

    def test_a_refusal_is_not_kept(self, api: APIClient, payload: Payload) -> None:
        assert send(api, payload | {"text": 7}, **KEY).status_code == 422

        assert send(api, payload, **KEY).status_code == 202

    @pytest.mark.parametrize("key", ["", "x" * 256, "two words", "ümlaut"])
    def test_refuses_a_key_that_is_none(self, api: APIClient, payload: Payload, key: str) -> None:
        answer = send(api, payload, HTTP_IDEMPOTENCY_KEY=key)

        problem(answer, status=400, code="malformed_request")


def test_another_platform_has_its_own_keys(api: APIClient, payload: Payload, other_api: APIClient) -> None:
    send(api, payload, **KEY)

    answer = send(other_api, payload | {"platform": "other"}, **KEY)

    assert answer.status_code == 202
    assert "Idempotent-Replayed" not in answer.headers


@pytest.mark.django_db(transaction=True)
def test_in_flight_is_refused_and_a_lost_connection_frees_the_key(
    api: APIClient, payload: Payload, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    digest = hashlib.sha256(f"{platform.pk}:order-66".encode()).digest()
    number = int.from_bytes(digest[:8], "big", signed=True)
    wanted = ("dbname", "user", "password", "host", "port")
    login = {name: one for name, one in connection.get_connection_params().items() if name in wanted}
    with psycopg.connect(**login) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
        busy = send(api, payload, **KEY)
    after = send(api, payload, **KEY)

    assert problem(busy, status=409, code="request_in_flight")
    assert busy.headers["Retry-After"] == "1"
    assert after.status_code == 202


def test_a_failure_after_the_work_leaves_neither_work_nor_answer(
    api: APIClient, payload: Payload, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("moderation.operations.infrastructure.idempotency._store", fail)
    api.raise_request_exception = False

    assert send(api, payload, **KEY).status_code == 500
    assert not Post.objects.exists()


def test_key_of_an_open_answer_is_refused_where_answers_are_secret(api: APIClient, payload: Payload) -> None:
    assert send(api, payload, **KEY).status_code == 202

    problem(add_endpoint(api), status=422, code="idempotency_key_reused")


def add_endpoint(api: APIClient) -> Any:
    return api.post("/api/v1/webhook-endpoints", {"url": "https://hooks.example/"}, **KEY)


def test_a_secret_answer_is_kept_encrypted(api: APIClient) -> None:
    first, again = add_endpoint(api), add_endpoint(api)

    assert again.json() == first.json()
    assert first.json()["secret"] not in StoredAnswer.objects.get().body
    assert SigningSecret.objects.count() == 1


def test_pruning_deletes_what_is_older_than_a_day(platform: Platform, at: datetime, later: Later) -> None:
    for number in range(3):
        StoredAnswer.objects.create(
            platform=platform, key=str(number), request_digest="", status=202, answered_at=later(number)
        )

    assert idempotency.prune(at=later(86_400 + 1)) == 2
    assert StoredAnswer.objects.get().key == "2"


@pytest.mark.parametrize("path", POSTS)
def test_every_post_of_the_api_minds_the_key(path: str, lead_api: APIClient) -> None:
    """Cure: `@operation` at the view's `post`. Without it the view would look at the body instead."""
    answer = lead_api.post(path, {}, HTTP_IDEMPOTENCY_KEY="two words")

    assert "Idempotency-Key" in problem(answer, status=400, code="malformed_request")["detail"]


class TestErased:
    def test_answers_with_words_are_wiped_not_redone(self, lead_api: APIClient, claimed_case: Case) -> None:
        address = f"/api/v1/cases/{claimed_case.pk}/notes"
        noted = lead_api.post(address, {"note": "about xyzzy"}, **KEY)

        erase.post(post_id=claimed_case.post_id, at=timezone.now())
        again = lead_api.post(address, {"note": "about xyzzy"}, **KEY)

        assert noted.status_code == 201
        problem(again, status=410, code="erased")
        kept = StoredAnswer.objects.get()
        assert (kept.body, kept.request_digest, kept.subjects) == ("", "", [])

    def test_keys_are_kept_as_digests(self, api: APIClient, payload: Payload) -> None:
        send(api, payload, **KEY)

        assert KEY["HTTP_IDEMPOTENCY_KEY"] not in StoredAnswer.objects.get().key


class TestApart:
    """Work that waits for another service: claimed, done outside a transaction, recorded."""

    def test_a_failure_frees_the_key(self, platform: Platform, at: datetime) -> None:
        def fail() -> Answer:
            raise OSError("Triton is gone")

        with pytest.raises(OSError, match="gone"):
            apart(platform, work=fail, at=at)
        refused = apart(platform, work=lambda: Answer(status=409, body="{}"), at=at)

        assert refused.status == 409
        assert not StoredAnswer.objects.exists()

    def test_a_claim_holds_for_its_bound_and_its_late_owner_changes_nothing(
        self, platform: Platform, at: datetime
    ) -> None:
        def overtaken() -> Answer:
            with pytest.raises(idempotency.InFlight):
                apart(platform, work=lambda: Answer(status=200, body='"too early"'), at=at + bound / 2)
            apart(platform, work=lambda: Answer(status=200, body='"second"'), at=at + bound)
            return Answer(status=200, body='"late"')

        bound = idempotency.LONGEST_CLAIM
        first = apart(platform, work=overtaken, at=at)
        again = apart(platform, work=lambda: Answer(status=200, body='"third"'), at=at + 2 * bound)

        assert (first.body, again.body, again.is_repeated) == ('"late"', '"second"', True)
        with pytest.raises(idempotency.KeyReused):
            apart(platform, work=overtaken, at=at + 2 * bound, digest="other")


def apart(platform: Platform, *, work: Callable[[], Answer], at: datetime, digest: str = "d") -> Answer:
    return idempotency.once_apart(platform=platform, key="k", request_digest=digest, work=work, at=at)
