"""What people see while the database is away."""

from __future__ import annotations

import psycopg
import pytest
from django.db import IntegrityError, InternalError, OperationalError
from django.test import Client

from moderation.operations.infrastructure import outage
from moderation.queries.cases import queue


def failure(kind: type[Exception], cause: psycopg.Error) -> Exception:
    """Return Django's exception as it wraps the driver's."""
    made = kind("what the driver says of 10.0.0.5")
    made.__cause__ = cause
    return made


DISK_FULL = failure(OperationalError, psycopg.errors.DiskFull())


class TestOutage:
    @pytest.mark.parametrize(
        ("raised", "name"),
        [
            (OperationalError("gone"), "no_answer"),
            (DISK_FULL, "no_room"),
            (failure(InternalError, psycopg.errors.ReadOnlySqlTransaction()), "read_only"),
            (failure(InternalError, psycopg.errors.IdleInTransactionSessionTimeout()), "no_answer"),
        ],
        ids=str,
    )
    def test_is_told_from_what_the_server_said(self, raised: Exception, name: str) -> None:
        found = outage.of(raised)

        assert found is not None
        assert found.name == name

    @pytest.mark.parametrize(
        "raised",
        [None, ValueError(), InternalError(), failure(IntegrityError, psycopg.errors.UniqueViolation())],
        ids=str,
    )
    def test_is_not_seen_in_other_failures(self, raised: Exception | None) -> None:
        assert outage.of(raised) is None


class TestPage:
    def test_says_why_and_when_to_come_back(self, desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(**_: object) -> None:
            raise DISK_FULL

        monkeypatch.setattr(queue, "rows", fail)

        answer = desk.get("/queue/")

        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "30"
        assert "database is full" in answer.content.decode()
        assert "10.0.0.5" not in answer.content.decode()

    def test_of_an_error_is_in_the_language_that_it_names(
        self, desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise KeyError("a defect")

        monkeypatch.setattr(queue, "rows", fail)
        desk.raise_request_exception = False

        answer = desk.get("/queue/", headers={"Accept-Language": "de"})

        assert answer.status_code == 500
        assert '<html lang="de">' in answer.text
        assert "Etwas ist schiefgegangen" in answer.text


class TestWrongMethod:
    def test_the_address_of_a_form_says_what_to_do(self, lead_desk: Client) -> None:
        answer = lead_desk.get("/policies/new/")

        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert "Nothing was changed" in answer.text

    def test_is_told_by_the_api_as_ever(self, desk: Client) -> None:
        assert desk.get("/api/v1/scores").headers["Content-Type"] == "application/problem+json"
