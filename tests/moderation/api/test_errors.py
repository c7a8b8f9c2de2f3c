"""Below /api/ every refusal is a problem with the request's id, that of an unreadable body too."""

import io
import json
import resource
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings
from rest_framework.test import APIClient

from moderation.api import errors, middleware, problems
from moderation.operations.outbox import feed
from moderation.operations.posts import ingest
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload


@pytest.mark.django_db
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

    def test_leaves_room_for_all_frames_in_one_chunk_of_the_stack(self) -> None:
        respond = middleware.request_ids(lambda _: HttpResponse(max(map(_faults, range(200)))))

        assert int(b"".join(respond(RequestFactory().get("/")))) < 100


def _faults(depth: int) -> int:
    """Return the page faults of 200 calls from so deep."""
    if depth:
        return _faults(depth - 1)
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(200):
        json.dumps({})
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


@pytest.mark.django_db
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


@pytest.mark.django_db
class TestProblem:
    @pytest.mark.parametrize(
        "address", ["", "/", "/v1", "/v1/", "/v2/posts", "/v1/posts/1/x", "/%00", "/v1/nope"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_an_unknown_address_is_not_found(self, address: str, method: str) -> None:
        answer = problem(Client().generic(method, f"/api{address}"), status=404, code="not_found")

        assert answer["instance"].startswith("/api")

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
    def test_another_method_is_told_which_are_allowed(self, api: APIClient, method: str) -> None:
        response = api.generic(method, "/api/v1/posts")

        problem(response, status=405, code="method_not_allowed")
        assert response.headers["Allow"] == "GET, HEAD, POST"

    def test_only_json_is_spoken(self, api: APIClient) -> None:
        problem(
            api.get("/api/v1/decisions", headers={"Accept": "text/html"}), status=406, code="not_acceptable"
        )

    @pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip", "x", "GZIP"])
    def test_a_packed_body_is_refused(self, api: APIClient, coding: str) -> None:
        response = api.post("/api/v1/posts", {}, headers={"Content-Encoding": coding})

        problem(response, status=415, code="unsupported_encoding")
        assert response.headers["Accept-Encoding"] == "identity"

    @pytest.mark.parametrize("charset", ["bogus", "latin-1", "utf-16", '"iso-8859-15"', ""])
    def test_another_charset_is_refused(self, api: APIClient, charset: str) -> None:
        response = api.generic(
            "POST", "/api/v1/posts", "{}", content_type=f"application/json; charset={charset}"
        )

        problem(response, status=415, code="unsupported_media_type")

    @pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "us-ascii"])
    def test_utf_8_may_be_said(self, api: APIClient, charset: str) -> None:
        said, unpacked = f"application/json; charset={charset}", {"Content-Encoding": "identity"}
        response = api.generic("POST", "/api/v1/posts", "{}", content_type=said, headers=unpacked)

        problem(response, status=422, code="invalid_fields")

    def test_a_post_to_the_openapi_document_is_refused_as_a_problem(self) -> None:
        response = Client().post("/api/v1/openapi.json")

        problem(response, status=405, code="method_not_allowed")
        assert response.headers["Allow"] == "GET, HEAD"

    def test_a_foreign_host_is_refused_as_a_problem(self, settings: Settings) -> None:
        settings.ALLOWED_HOSTS = ["spamdesk.example"]

        response = Client().get("/api/v1/posts", headers={"Host": "evil.example"})
        problem(response, status=400, code="malformed_request")

    def test_pages_outside_the_api_stay_pages(self) -> None:
        response = Client().get("/problems/nope")

        assert response.status_code == 404
        assert response.headers["Content-Type"].startswith("text/html")

    def test_a_broken_operation_is_a_problem_without_its_cause(
        self, api: APIClient, monkeypatch: pytest.MonkeyPatch, payload: dict[str, Any]
    ) -> None:
        def fail(**_: object) -> None:
            raise ZeroDivisionError("a secret detail")

        monkeypatch.setattr(ingest, "accept", fail)
        api.raise_request_exception = False

        response = api.post("/api/v1/posts", payload)

        problem(response, status=500, code="internal_error")
        assert b"secret detail" not in response.content

    def test_database_away_is_worth_a_new_try(self, api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(**_: object) -> None:
            raise OperationalError("connection to 10.0.0.5 refused")

        monkeypatch.setattr(feed, "read", fail)

        response = api.get("/api/v1/decisions")

        problem(response, status=503, code="unavailable")
        assert response.headers["Retry-After"] == "5"
        assert b"10.0.0.5" not in response.content

    def test_quotes_a_hostile_path_without_breaking(self) -> None:
        path = "/api/<script>alert(1)</script>\u202e\ud800".encode("utf-8", "surrogatepass").decode("latin-1")

        assert json.dumps(problem(Client().get(path), status=404, code="not_found"))


POSTS = "/api/v1/posts"


class TestBody:
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
        self, api: APIClient, nothing_stored: Callable[[], bool], body: bytes, said: str
    ) -> None:
        answer = problem(
            api.post(POSTS, body, content_type="application/json"), status=400, code="malformed_body"
        )

        assert said in answer["detail"]
        assert nothing_stored()

    def test_survives_nesting_that_can_be_read(self, api: APIClient, payload: Payload) -> None:
        body = json.dumps(payload).replace('"shares": 0', '"shares": ' + "[" * 500 + "]" * 500)

        assert list(bad_fields(api.post(POSTS, body, content_type="application/json"))) == ["/shares"]

    @pytest.mark.parametrize(
        "content_type",
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
    )
    def test_refuses_another_content_type(
        self, api: APIClient, payload: Payload, nothing_stored: Callable[[], bool], content_type: str
    ) -> None:
        response = api.generic("POST", POSTS, json.dumps(payload), content_type=content_type)

        problem(response, status=415, code="unsupported_media_type")
        assert nothing_stored()

    def test_refuses_an_oversized_body_before_reading_it(self, api: APIClient) -> None:
        response = api.post(POSTS, b"[" * (12 * 1024 * 1024 + 1), content_type="application/json")

        answer = problem(response, status=413, code="body_too_large")
        assert "12 MiB" in answer["detail"]

    @pytest.mark.parametrize("length", ["-5", "abc", "9" * 30])
    def test_refuses_a_length_that_is_none(self, api: APIClient, length: str) -> None:
        response = api.post(POSTS, b"{}", content_type="application/json", CONTENT_LENGTH=length)

        problem(response, status=413, code="body_too_large")

    def test_refuses_a_body_of_unknown_length(self, secret: str) -> None:
        response = Client().generic(
            "POST",
            POSTS,
            b"",
            content_type="application/json",
            headers={"Transfer-Encoding": "chunked", "Authorization": f"Bearer {secret}"},
        )

        problem(response, status=411, code="length_required")

    def test_refuses_a_body_that_broke_off(
        self, api: APIClient, payload: Payload, nothing_stored: Callable[[], bool]
    ) -> None:
        body = json.dumps(payload).encode()
        broken_off: dict[str, Any] = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body) + 10)}

        response = api.generic("POST", POSTS, "{}", content_type="application/json", **broken_off)

        problem(response, status=400, code="malformed_body")
        assert nothing_stored()
