"""Bodies that cannot be read, or not in this size or type."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload

POSTS = "/api/v1/posts"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"external_id": ', "line 1, column 17"),
        (b"{'external_id': 'p'}", "column 2"),
        (b'{"external_id": "p"} {}', "Extra data"),
        (b'{"external_id": "p\xff"}', "byte 18"),
        ('{"external_id": "p"}'.encode("utf-16"), "byte 0"),
        ("\ufeff{}".encode(), "BOM"),
        (b'{"text": "a\nb"}', "control character"),
        (b'{"revision": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b'{"text": "a", "text": "b"}', "same name twice"),
        (b"external_id=p&text=hi", "column 1"),
        (b"\x00", "column 1"),
    ],
)
def test_says_why_a_body_cannot_be_read(
    api: APIClient, nothing_stored: Callable[[], bool], body: bytes, said: str
) -> None:
    answer = problem(
        api.post(POSTS, body, content_type="application/json"), status=400, code="malformed_body"
    )

    assert said in answer["detail"]
    assert nothing_stored()


def test_survives_nesting_that_can_be_read(api: APIClient, payload: Payload) -> None:
    body = json.dumps(payload).replace('"shares": 0', '"shares": ' + "[" * 500 + "]" * 500)

    assert list(bad_fields(api.post(POSTS, body, content_type="application/json"))) == ["/shares"]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_refuses_another_content_type(
    api: APIClient, payload: Payload, nothing_stored: Callable[[], bool], content_type: str
) -> None:
    response = api.generic("POST", POSTS, json.dumps(payload), content_type=content_type)

    problem(response, status=415, code="unsupported_media_type")
    assert nothing_stored()


def test_refuses_an_oversized_body_before_reading_it(api: APIClient) -> None:
    response = api.post(POSTS, b"[" * (12 * 1024 * 1024 + 1), content_type="application/json")

    answer = problem(response, status=413, code="body_too_large")
    assert "12 MiB" in answer["detail"]


@pytest.mark.parametrize("length", ["-5", "abc", "9" * 30])
def test_refuses_a_length_that_is_none(api: APIClient, length: str) -> None:
    response = api.post(POSTS, b"{}", content_type="application/json", CONTENT_LENGTH=length)

    problem(response, status=413, code="body_too_large")


def test_refuses_a_body_of_unknown_length(secret: str) -> None:
    response = Client().generic(
        "POST",
        POSTS,
        b"",
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked", "Authorization": f"Bearer {secret}"},
    )

    problem(response, status=411, code="length_required")


def test_refuses_a_body_that_broke_off(
    api: APIClient, payload: Payload, nothing_stored: Callable[[], bool]
) -> None:
    body = json.dumps(payload).encode()
    broken_off: dict[str, Any] = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body) + 10)}

    response = api.generic("POST", POSTS, "{}", content_type="application/json", **broken_off)

    problem(response, status=400, code="malformed_body")
    assert nothing_stored()
