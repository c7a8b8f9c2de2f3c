"""Bad input at POST /posts: a problem that names the field, nothing stored, nothing crashed."""

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload

POSTS = "/api/v1/posts"
LONG = "x" * 5_000
GONE = object()

# (code, fields, values): the valid payload with one of these values in one of these fields.
REFUSED: list[tuple[str, str, list[Any]]] = [
    ("required", "/external_id /text /posted_at /author /author/external_id /transcripts/0/captions", [GONE]),
    ("required", "/journey/1/at_ms", [GONE]),
    ("null", "/external_id /text /author /links/0", [None]),
    ("blank", "/external_id /platform /journey/1/name", [""]),
    ("invalid", "/external_id", [17, True, ["p"], {"a": 1}]),
    ("invalid", "/revision", ["1", True, 1.5]),
    ("invalid", "/platform", [3]),
    ("invalid", "/text", [5, ["a"]]),
    ("invalid", "/language", ["e", "en_GB", "en\n", 5]),
    ("invalid", "/posted_at", ["", "yesterday", 1_770_000_000, "2026-02-01", "2026-02-30T10:00:00Z"]),
    ("invalid", "/author", ["a-1", []]),
    ("invalid", "/author/display_name", [7]),
    ("invalid", "/author/email_domain", ["person@example.org"]),
    ("invalid", "/author/friends", ["12", False]),
    ("invalid", "/author/is_verified", ["yes", 1]),
    ("invalid", "/author/posts", [0.5]),
    ("invalid", "/ip", [3_221_225_985]),
    ("invalid", "/links/0", [5]),
    ("invalid", "/media_urls/0", [{"url": "x"}]),
    ("invalid", "/transcripts/0/language", ["en_GB"]),
    ("invalid", "/journey/1", ["press_send"]),
    ("invalid", "/journey/1/at_ms", ["8200"]),
    ("invalid", "/shares", ["many"]),
    ("max_length", "/external_id /author/external_id /author/display_name", ["x" * 201]),
    ("max_length", "/text", ["x" * 100_001, "x" * 10_000_000]),
    ("max_length", "/language", ["english-language-x"]),
    ("max_length", "/author/email_domain", ["x" * 254]),
    ("max_length", "/user_agent", ["x" * 501]),
    ("max_length", "/links", [["http://cats.example"] * 10_000]),
    ("max_length", "/links/0", [LONG]),
    ("max_length", "/media_urls", [["x"] * 21]),
    ("max_length", "/transcripts", [[{"captions": "WEBVTT"}] * 6]),
    ("max_length", "/journey", [[{"name": "a", "at_ms": 0}] * 501]),
    ("max_length", "/journey/1/name", ["x" * 65]),
    ("null_characters_not_allowed", "/external_id /text", ["a\0b"]),
    ("null_characters_not_allowed", "/links/0", ["http://a\0.example"]),
    ("surrogate_characters_not_allowed", "/external_id", ["\ud800"]),
    ("surrogate_characters_not_allowed", "/text", ["a\udfffb"]),
    ("min_value", "/revision", [0, -1]),
    ("min_value", "/author/friends /shares", [-1]),
    ("min_value", "/journey/1/at_ms", [-5]),
    ("max_value", "/revision", [2**31, 10**400, 1e300]),
    ("max_value", "/author/followers", [2**63]),
    ("max_value", "/comments", [1e10]),
    ("unknown_platform", "/platform", ["another"]),
    ("no_offset", "/posted_at", ["2026-02-01T10:00:00"]),
    ("no_offset", "/author/created_at", ["2020-01-01T00:00:00"]),
    ("in_future", "/posted_at", ["2999-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59"]),
    ("too_early", "/posted_at", ["0001-01-01T00:00:00+23:59", "1970-01-01T00:00:00Z"]),
    ("unknown_field", "/author/e~mail/x", ["person@example.org"]),
    ("unknown_field", "/transcripts/0/url", ["https://cats.example/x.vtt"]),
    ("unknown_field", "/journey/1/x / /\ud800", [1]),
    ("unknown_field", "/auther", [{"external_id": "a"}]),
    ("invalid_address", "/ip", ["999.1.1.1", "fe80::1%eth0", "10.0.0.0/8", "1" * 60]),
    ("not_a_list", "/links", ["http://cats.example", {"0": "x"}]),
    ("not_a_list", "/journey", ["open"]),
    ("not_captions", "/transcripts/0/captions", ["WEBVTT\n\nI have won", "I have won"]),
]
TABLE = [(at, value, code) for code, fields, values in REFUSED for at in fields.split() for value in values]


def spoiled(payload: Payload, pointer: str, value: Any) -> Payload:
    """Return the payload with one place changed or taken away."""
    changed: Any = copy.deepcopy(payload)
    place = changed
    *path, last = pointer[1:].split("/", 1) if "~" in pointer else pointer[1:].split("/")
    for name in path:
        place = place[int(name) if isinstance(place, list) else name]
    key: Any = int(last) if isinstance(place, list) else last
    if value is GONE:
        del place[key]
    else:
        place[key] = value
    return dict(changed)


@pytest.mark.drawn(40)
@pytest.mark.parametrize(("pointer", "value", "code"), TABLE, ids=[f"{at}-{code}" for at, _, code in TABLE])
def test_names_the_field(
    api: APIClient, payload: Payload, nothing_stored: Callable[[], bool], pointer: str, value: Any, code: str
) -> None:
    body = json.dumps(spoiled(payload, pointer, value))

    response = api.post(POSTS, body, content_type="application/json")

    shown = pointer.replace("~mail/", "~0mail~1").replace("\ud800", "?")
    assert bad_fields(response) == {shown: code}
    assert nothing_stored()


def test_names_all_fields_at_once(api: APIClient, payload: Payload) -> None:
    bad = payload | {"text": 5, "ip": "x", "typo": 1, "author": {"friends": "x", "typo": 2}}

    assert bad_fields(api.post(POSTS, bad)) == {
        "/text": "invalid",
        "/ip": "invalid_address",
        "/typo": "unknown_field",
        "/author/external_id": "required",
        "/author/friends": "invalid",
        "/author/typo": "unknown_field",
    }


def test_refuses_a_journey_that_runs_backwards(api: APIClient, payload: Payload) -> None:
    steps = [{"name": "step", "at_ms": at_ms} for at_ms in (0, 5, 5, 4, 9)]

    answer = api.post(POSTS, payload | {"journey": steps})

    assert bad_fields(answer) == {"/journey/3/at_ms": "decreasing"}


def test_refuses_a_post_without_content(api: APIClient, payload: Payload) -> None:
    bare = {name: payload[name] for name in ("external_id", "posted_at", "author")} | {"text": ""}

    assert bad_fields(api.post(POSTS, bare)) == {"/text": "blank"}


def test_forgives_a_clock_that_is_a_little_ahead(api: APIClient, payload: Payload) -> None:
    times = [(datetime.now(UTC) + timedelta(minutes=ahead)).isoformat() for ahead in (4, 6)]

    near, far = (api.post(POSTS, payload | {"posted_at": time}) for time in times)

    assert near.status_code == 202
    assert bad_fields(far) == {"/posted_at": "in_future"}


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_names_the_field_that_holds_no_number(
    api: APIClient, payload: Payload, nothing_stored: Callable[[], bool], constant: str
) -> None:
    body = json.dumps(payload).replace('"shares": 0', f'"shares": {constant}')

    response = api.post(POSTS, body, content_type="application/json")

    assert bad_fields(response) == {"/shares": "invalid"}
    assert nothing_stored()


@pytest.mark.parametrize("body", ["null", "[]", '"post"', "5", "true", "NaN", "[[[]]]"])
def test_refuses_what_is_no_object(api: APIClient, body: str) -> None:
    assert list(bad_fields(api.post(POSTS, body, content_type="application/json"))) == [""]


def test_an_empty_body_lacks_every_required_field(api: APIClient) -> None:
    answer = api.post(POSTS, "", content_type="application/json")

    assert bad_fields(answer) == dict.fromkeys(("/external_id", "/text", "/posted_at", "/author"), "required")


def test_answers_for_a_few_fields_only(api: APIClient, payload: Payload) -> None:
    many = payload | {f"field_{number}": 1 for number in range(5_000)}

    answer = problem(api.post(POSTS, many), status=422, code="invalid_fields")

    assert len(answer["errors"]) == 50


def test_does_not_echo_a_name_by_the_megabyte(api: APIClient, payload: Payload) -> None:
    response = api.post(POSTS, payload | {"x" * 1_000_000: 1})

    problem(response, status=422, code="invalid_fields")
    assert len(response.content) < 1_000
