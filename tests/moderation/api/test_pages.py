"""The OpenAPI document, with which `documented.py` compares answers, and the pages around it."""

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import StringIO
from typing import Any
from uuid import UUID

import jsonschema_rs
import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client
from rest_framework.exceptions import ValidationError

from moderation.api.openapi_links import LINKS, NEXT_PAGE
from moderation.api.problems import PROBLEMS
from moderation.api.serializers.cursors import (
    CURSOR_SCHEMA,
    MAX_CURSOR_LENGTH,
    FeedCursorField,
    KeysetField,
    NextCursorField,
)
from moderation.api.serializers.posts import is_email_domain
from moderation.api.views import pages
from moderation.queries import keyset
from moderation.queries.decisions.feeds import Position
from tests.moderation.api.conftest import LEAST
from tests.moderation.api.routes import OPERATIONS

LATEST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
LARGEST = 2**63 - 1
BODY_REFUSALS = {"400", "408", "411", "413", "415", "422"}


def _operations(document: Any) -> Iterator[Any]:
    for methods in document["paths"].values():
        yield from methods.values()


def _parameters(operation: Any) -> dict[str, Any]:
    return {one["name"]: one for one in operation.get("parameters", ())}


def test_the_document_is_valid_and_complete() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_generated_types_ask_for_no_field_that_may_be_left_out(document: Any) -> None:
    """A field with `default` counts as always there: openapi-typescript makes senders give it."""
    bodies = {
        name: one for name, one in document["components"]["schemas"].items() if name.endswith("Request")
    }

    fields = [(name, field) for name, body in bodies.items() for field in body.get("properties", {}).items()]
    assert [(name, field) for name, (field, schema) in fields if "default" in schema] == []
    assert "Default: 1." in bodies["PostRequest"]["properties"]["revision"]["description"]
    assert set(bodies["PostRequest"]["required"]) == set(LEAST)


def test_the_document_lists_every_operation(document: Any) -> None:
    operations = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}

    assert Client().get("/openapi.json").headers["Location"] == "/api/v1/openapi.json"
    assert document["openapi"].startswith("3.1")
    assert operations == set(OPERATIONS)
    assert len(OPERATIONS) == 81  # they are read from the routes: one that is lost is missed here alone


def test_every_operation_has_examples(document: Any) -> None:
    for operation in _operations(document):
        bodies = list(operation.get("requestBody", {}).get("content", {}).values())
        answers = [
            content
            for status, response in operation["responses"].items()
            if status.startswith("2")
            for kind, content in response.get("content", {}).items()
            if kind == "application/json"
        ]
        assert all("example" in one for one in bodies + answers), operation["operationId"]


def test_links_lead_to_operations_that_take_an_id(document: Any) -> None:
    operations = {one["operationId"]: one for one in _operations(document)}
    links = [
        link
        for operation in operations.values()
        for response in operation["responses"].values()
        for name, link in response.get("links", {}).items()
        if name != NEXT_PAGE
    ]

    assert len(links) == sum(len(following) for following in LINKS.values())
    for link in links:
        [taken] = [one for one in operations[link["operationId"]]["parameters"] if one["in"] == "path"]
        assert {taken["name"]} == set(link["parameters"])


def test_every_operation_names_its_scope_and_refusals(document: Any) -> None:
    for operation in _operations(document):
        assert re.search(r"Scopes?: `", operation["description"])
        assert operation["security"] == [{"key": []}]
        assert "application/problem+json" in operation["responses"]["401"]["content"]


def test_unknown_fields_are_closed_out(document: Any) -> None:
    for name in ("PostRequest", "AuthorRequest", "JourneyStepRequest", "ComplaintRequest", "ReporterRequest"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False


def test_a_request_is_called_so_once(document: Any) -> None:
    names = document["components"]["schemas"]

    assert {"RuleRequest", "DecisionRequest", "HandOnRequest"} <= set(names)
    assert not [name for name in names if name.endswith("RequestRequest")]


class TestCursors:
    def test_every_one_is_described_alike(self, document: Any) -> None:
        pages = [one for one in _operations(document) if "cursor" in _parameters(one)]

        assert len(pages) == 14
        for operation in pages:
            asked = _parameters(operation)["cursor"]
            assert asked["schema"].items() >= CURSOR_SCHEMA.items()
            assert "422 invalid_cursor" in asked["description"]
            assert "`invalid_fields`" in operation["responses"]["422"]["description"]
            [page] = operation["responses"]["200"]["content"].values()
            name = page["schema"]["$ref"].rpartition("/")[2]
            given = document["components"]["schemas"][name]["properties"]["next_cursor"]
            assert {**given, "type": "string"}.items() >= CURSOR_SCHEMA.items()
            assert set(given["type"]) == {"string", "null"}

    def test_a_link_leads_from_page_to_page(self, document: Any) -> None:
        for operation in _operations(document):
            if "cursor" in _parameters(operation):
                link = operation["responses"]["200"]["links"][NEXT_PAGE]
                in_path = {name for name, one in _parameters(operation).items() if one["in"] == "path"}
                assert link["operationId"] == operation["operationId"]
                assert set(link["parameters"]) == in_path | {"cursor"}

    @pytest.mark.parametrize(
        ("field", "end"),
        [
            (FeedCursorField(), Position(LATEST.replace(year=5000), LARGEST // 10)),
            (KeysetField(int), (LARGEST,)),
            (KeysetField(float, int), (-1.2345678901234567e-300, LARGEST)),
            (KeysetField(datetime, int), (LATEST, LARGEST)),
            (KeysetField(datetime, UUID), (LATEST, UUID(int=1))),
        ],
    )
    def test_what_is_given_has_the_form_and_is_taken(self, field: Any, end: Any) -> None:
        given = NextCursorField().to_representation(end)

        assert re.search(str(CURSOR_SCHEMA["pattern"]), given)
        assert len(given) <= 108 < MAX_CURSOR_LENGTH
        assert field.run_validation(given) == end

    @pytest.mark.parametrize("wrong", ["", "ZjE6MTox=", "ZjE+MTox", "ZjE6MTox\n", "A", "A" * 201, "Zé"])
    def test_another_form_is_refused(self, wrong: str) -> None:
        with pytest.raises(ValidationError, match="Must be the next_cursor"):
            FeedCursorField().run_validation(wrong)

    def test_one_that_is_too_long_is_refused(self) -> None:
        with pytest.raises(ValidationError, match="Must be the next_cursor"):
            KeysetField(str).run_validation(keyset.encode(("x" * MAX_CURSOR_LENGTH,)))


class TestConflicts:
    def test_of_a_key_for_repetition(self, document: Any) -> None:
        posting = [one for one in _operations(document) if "Idempotency-Key" in _parameters(one)]

        assert len(posting) == sum("post" in methods for methods in document["paths"].values())
        for operation in posting:
            schema = _parameters(operation)["Idempotency-Key"]["schema"]
            assert (schema["minLength"], schema["maxLength"]) == (1, 255)
            assert re.fullmatch(schema["pattern"], "a-1")
            answers = operation["responses"]
            assert "`idempotency_key_reused`" in answers["422"]["description"]
            assert "`request_in_flight`" in answers["409"]["description"]
            assert "Retry-After" in answers["409"]["headers"]

    def test_of_a_version(self, document: Any) -> None:
        conditional = [one for one in _operations(document) if "If-Match" in _parameters(one)]

        assert len(conditional) == 5
        for operation in conditional:
            assert "`precondition_failed`" in operation["responses"]["412"]["description"]


def test_whatever_takes_a_body_says_how_it_is_refused(document: Any) -> None:
    for operation in _operations(document):
        if "requestBody" in operation:
            assert operation["responses"].keys() >= BODY_REFUSALS, operation["operationId"]


def test_answers_name_their_headers(document: Any) -> None:
    headers = document["components"]["headers"]

    for operation in _operations(document):
        answers = operation["responses"]
        assert all("X-Request-ID" in answer["headers"] for answer in answers.values())
        assert "WWW-Authenticate" in answers["401"]["headers"]
        assert "Retry-After" in answers["429"]["headers"]
        assert "Retry-After" in answers["503"]["headers"]
    assert headers["X-Request-ID"]["required"]


def test_the_pattern_of_a_mail_domain_is_what_is_asked(document: Any) -> None:
    """Python and the patterns of JSON Schema do not call the same characters white space."""
    [pattern] = {
        fields["properties"]["email_domain"]["pattern"]
        for fields in document["components"]["schemas"].values()
        if "pattern" in fields.get("properties", {}).get("email_domain", {})
    }
    fits = jsonschema_rs.validator_for({"pattern": pattern}).is_valid

    characters = [chr(code) for code in [*range(0xD800), *range(0xE000, 0x10000)]]
    assert [one for one in characters if fits(f"mail{one}") != is_email_domain(f"mail{one}")] == []
    assert not fits("mail\x1f")


class TestDocumentation:
    def test_loads_nothing_from_elsewhere_and_runs_nothing_inline(self) -> None:
        response = Client().get("/api/v1/docs")
        page = response.content.decode()

        assert response.status_code == 200
        assert "unsafe" not in response.headers["Content-Security-Policy"]
        assert "<style" not in page
        assert not re.search(r"<script(?![^>]*\ssrc=)", page)
        assert not re.search(r"(?:src|href)=.(?:https?:)?//", page)

    def test_every_file_that_it_names_is_there(self) -> None:
        page = Client().get("/api/v1/docs").content.decode()
        files = re.findall(r'"/static/([^"]+)"', page)

        assert len(files) >= 5
        assert [file for file in files if finders.find(file) is None] == []


def test_the_list_of_problems_names_them_all() -> None:
    page = Client().get("/problems/").content.decode()

    assert all(f"<code>{code}</code>" in page for code in PROBLEMS)


def test_the_document_is_made_once_and_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, may_end = [], threading.Event()

    def generated() -> bytes:
        made.append(threading.current_thread())
        assert may_end.wait(10)
        return b"{}"

    monkeypatch.setattr(pages, "_generated", generated)
    document = pages._Document()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(document.get)
        while not made:
            time.sleep(0.01)
        others = [document.get() for _ in range(20)]
        may_end.set()

    assert others == [None] * 20
    assert (first.result(), document.get(), len(made)) == (b"{}", b"{}", 1)
