"""Cursors, conflicts and headers in the OpenAPI document; `documented.py` compares answers with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import jsonschema_rs
import pytest
from rest_framework.exceptions import ValidationError

from moderation.api.openapi_links import NEXT_PAGE
from moderation.api.serializers.cursors import (
    CURSOR_SCHEMA,
    MAX_CURSOR_LENGTH,
    FeedCursorField,
    KeysetField,
    NextCursorField,
)
from moderation.api.serializers.posts import is_email_domain
from moderation.queries import keyset
from moderation.queries.decisions.feeds import Position

LATEST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
LARGEST = 2**63 - 1
BODY_REFUSALS = {"400", "408", "411", "413", "415", "422"}


def _operations(document: Any) -> Iterator[Any]:
    for methods in document["paths"].values():
        yield from methods.values()


def _parameters(operation: Any) -> dict[str, Any]:
    return {one["name"]: one for one in operation.get("parameters", ())}


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
            (FeedCursorField(), Position(LATEST, LARGEST // 10)),
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
