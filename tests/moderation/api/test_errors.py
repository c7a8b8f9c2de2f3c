"""Below /api/ every refusal is a problem, with the request's id, whoever refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from moderation.api import errors, problems
from moderation.operations.outbox import feed
from moderation.operations.posts import ingest
from tests.moderation.api.answers import problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["", "/", "/v1", "/v1/", "/v2/posts", "/v1/posts/1/x", "/%00", "/v1/nope"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_address_is_not_found(address: str, method: str) -> None:
    answer = problem(Client().generic(method, f"/api{address}"), status=404, code="not_found")

    assert answer["instance"].startswith("/api")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_is_told_which_are_allowed(api: APIClient, method: str) -> None:
    response = api.generic(method, "/api/v1/posts")

    problem(response, status=405, code="method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, POST"


def test_only_json_is_spoken(api: APIClient) -> None:
    problem(api.get("/api/v1/decisions", headers={"Accept": "text/html"}), status=406, code="not_acceptable")


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip", "x", "GZIP"])
def test_a_packed_body_is_refused(api: APIClient, coding: str) -> None:
    response = api.post("/api/v1/posts", {}, headers={"Content-Encoding": coding})

    problem(response, status=415, code="unsupported_encoding")
    assert response.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("charset", ["bogus", "latin-1", "utf-16", '"iso-8859-15"', ""])
def test_another_charset_is_refused(api: APIClient, charset: str) -> None:
    response = api.generic("POST", "/api/v1/posts", "{}", content_type=f"application/json; charset={charset}")

    problem(response, status=415, code="unsupported_media_type")


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "us-ascii"])
def test_utf_8_may_be_said(api: APIClient, charset: str) -> None:
    said, unpacked = f"application/json; charset={charset}", {"Content-Encoding": "identity"}
    response = api.generic("POST", "/api/v1/posts", "{}", content_type=said, headers=unpacked)

    problem(response, status=422, code="invalid_fields")


def test_a_post_to_the_openapi_document_is_refused_as_a_problem() -> None:
    response = Client().post("/api/v1/openapi.json")

    problem(response, status=405, code="method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD"


def test_a_foreign_host_is_refused_as_a_problem(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["spamdesk.example"]

    response = Client().get("/api/v1/posts", headers={"Host": "evil.example"})
    problem(response, status=400, code="malformed_request")


def test_pages_outside_the_api_stay_pages() -> None:
    response = Client().get("/problems/nope")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")


def test_a_broken_operation_is_a_problem_without_its_cause(
    api: APIClient, monkeypatch: pytest.MonkeyPatch, payload: dict[str, Any]
) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError("a secret detail")

    monkeypatch.setattr(ingest, "accept", fail)
    api.raise_request_exception = False

    response = api.post("/api/v1/posts", payload)

    problem(response, status=500, code="internal_error")
    assert b"secret detail" not in response.content


def test_a_database_away_is_worth_another_try(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise OperationalError("connection to 10.0.0.5 refused")

    monkeypatch.setattr(feed, "read", fail)

    response = api.get("/api/v1/decisions")

    problem(response, status=503, code="unavailable")
    assert response.headers["Retry-After"] == "5"
    assert b"10.0.0.5" not in response.content


class TestRequestId:
    def test_the_callers_id_is_kept(self) -> None:
        response = Client().get("/api/v1/decisions", headers={"X-Request-ID": "req_1-a.B"})

        assert problem(response, status=401, code="not_authenticated")["request_id"] == "req_1-a.B"

    @pytest.mark.parametrize("bad", ["", "a b", "x" * 65, "a;b", "é", '{"a":1}'])
    def test_an_id_that_could_break_a_log_is_replaced(self, bad: str) -> None:
        response = Client().get("/api/v1/decisions", headers={"X-Request-ID": bad})

        assert len(response.headers["X-Request-ID"]) == 32

    def test_pages_have_one_too(self) -> None:
        assert Client().get("/problems/").headers["X-Request-ID"]


class TestTable:
    def test_every_type_resolves_to_its_page(self) -> None:
        for kind in problems.PROBLEMS.values():
            page = Client().get(kind.uri)

            assert page.status_code == 200
            assert kind.cure in page.content.decode().replace("&lt;", "<").replace("&gt;", ">")

    def test_every_refusal_leads_to_a_type(self) -> None:
        codes = {code for _, code in errors.CODES} | set(problems.BY_STATUS.values())

        assert codes <= problems.PROBLEMS.keys()

    def test_narrow_refusals_stand_before_wide_ones(self) -> None:
        kinds = [kind for kind, _ in errors.CODES]

        assert [late for place, late in enumerate(kinds) if issubclass(late, tuple(kinds[:place]))] == []


def test_quotes_a_hostile_path_without_breaking() -> None:
    path = "/api/<script>alert(1)</script>\u202e\ud800".encode("utf-8", "surrogatepass").decode("latin-1")

    assert json.dumps(problem(Client().get(path), status=404, code="not_found"))
