"""POST /posts:bulk: every line for itself, in order."""

import json
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks
from rest_framework.test import APIClient

from moderation import enqueue
from moderation.models import Post, Revision
from moderation.operations.posts import ingest
from tests.moderation.api.answers import bad_fields, pointers, problem
from tests.moderation.api.conftest import Payload

BULK = "/api/v1/posts:bulk"


def ndjson(*lines: Payload | bytes) -> bytes:
    """Join lines; bytes are taken as they are."""
    return b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)


def send(api: APIClient, *lines: Payload | bytes) -> Any:
    """Send lines and return the answer."""
    response = api.post(BULK, ndjson(*lines), content_type="application/x-ndjson")
    assert response.status_code == 207, response.content
    return response.json()


class TestLines:
    def test_a_bad_line_hurts_no_other(self, api: APIClient, payload: Payload) -> None:
        answer = send(
            api,
            payload | {"external_id": "p-1"},
            b'{"external_id": ',
            payload | {"external_id": "p-2", "shares": "many"},
            b"\xff\xfe",
            b"",
            payload | {"external_id": "p-3", "text": "a\0b"},
            b"[]",
            b"[" * 50_000,
            payload | {"external_id": "p-4"},
        )

        statuses = [(result["line"], result["status"]) for result in answer["results"]]
        assert statuses == [(1, 202), (2, 400), (3, 422), (4, 400), (6, 422), (7, 422), (8, 400), (9, 202)]
        assert (answer["accepted"], answer["refused"]) == (2, 6)
        assert set(Post.objects.values_list("external_id", flat=True)) == {"p-1", "p-4"}

    def test_a_line_is_answered_as_a_single_post(self, api: APIClient, payload: Payload) -> None:
        bad = payload | {"external_id": "p-2", "author": {"external_id": "a", "friends": -1}}

        good, refused = send(api, payload, bad)["results"]

        assert good == {"line": 1, "status": 202} | api.post("/api/v1/posts", payload).json()
        assert refused["problem"]["type"] == "/problems/invalid_fields"
        assert pointers(refused["problem"]) == {"/author/friends": "min_value"}

    def test_revisions_are_repeated_refused_and_edited(self, api: APIClient, payload: Payload) -> None:
        changed, edited = payload | {"text": "Buy pills"}, payload | {"text": "Found!", "revision": 2}

        first, again, second, edit = send(api, payload, payload, changed, edited)["results"]

        assert first["id"] == again["id"]
        assert [one["status"] for one in (first, again, second, edit)] == [202, 202, 409, 202]
        assert second["problem"]["type"] == "/problems/revision_conflict"
        texts = Revision.objects.order_by("number").values_list("text", flat=True)
        assert list(texts) == [payload["text"], "Found!"]

    def test_windows_line_ends_are_read(self, api: APIClient, payload: Payload) -> None:
        body = ndjson(payload, payload | {"external_id": "p-2"}).replace(b"\n", b"\r\n") + b"\r\n"

        response = api.post(BULK, body, content_type="application/x-ndjson; charset=utf-8")

        assert response.json()["accepted"] == 2


class TestChunks:
    def test_order_is_kept_across_chunks(
        self, api: APIClient, payload: Payload, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("moderation.api.views.bulk_posts.CHUNK", 3)
        lines: list[Payload | bytes] = [payload | {"external_id": f"p-{number}"} for number in range(10)]
        lines[4] = b"nonsense"

        results = send(api, *lines)["results"]

        assert [result["line"] for result in results] == list(range(1, 11))
        assert [result.get("external_id") for result in results] == [
            None if number == 4 else f"p-{number}" for number in range(10)
        ]

    def test_a_chunk_is_one_call(
        self, api: APIClient, payload: Payload, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("moderation.api.views.bulk_posts.CHUNK", 4)
        sizes = []
        accept = ingest.accept

        def counted(**given: Any) -> Any:
            sizes.append(len(given["posts"]))
            return accept(**given)

        monkeypatch.setattr(ingest, "accept", counted)

        send(api, *[payload | {"external_id": f"p-{number}"} for number in range(10)])

        assert sizes == [4, 4, 2]

    def test_scoring_is_asked_for_after_the_commit(
        self,
        api: APIClient,
        payload: Payload,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        sent: list[dict[str, Any]] = []
        monkeypatch.setattr(enqueue, "_send", lambda task, **given: sent.append(given["kwargs"]))

        with django_capture_on_commit_callbacks(execute=True):
            send(api, *[payload | {"external_id": f"p-{number}"} for number in range(3)])

        asked = sorted(pk for call in sent for pk in call["revision_ids"])
        assert asked == sorted(Revision.objects.values_list("pk", flat=True))


class TestLimits:
    def test_takes_5000_lines_and_not_one_more(self, api: APIClient) -> None:
        most = api.post(BULK, b"5\n" * 5_000, content_type="application/x-ndjson")
        more = api.post(BULK, b"5\n" * 5_000 + b"5", content_type="application/x-ndjson")

        assert len(most.json()["results"]) == 5_000
        problem(more, status=413, code="body_too_large")

    def test_refuses_ten_million_empty_lines(self, api: APIClient) -> None:
        response = api.post(BULK, b"\n" * 10_000_000, content_type="application/x-ndjson")

        problem(response, status=413, code="body_too_large")

    def test_refuses_more_than_10_mebibytes(self, api: APIClient) -> None:
        response = api.post(BULK, b"x" * (10 * 1024 * 1024 + 1), content_type="application/x-ndjson")

        assert "10 MiB" in problem(response, status=413, code="body_too_large")["detail"]

    @pytest.mark.parametrize("body", [b"", b"\n\n \n"])
    def test_refuses_a_body_without_lines(self, api: APIClient, body: bytes) -> None:
        response = api.post(BULK, body, content_type="application/x-ndjson")

        assert bad_fields(response) == {"": "empty"}

    def test_refuses_json(self, api: APIClient, payload: Payload) -> None:
        problem(api.post(BULK, payload), status=415, code="unsupported_media_type")
