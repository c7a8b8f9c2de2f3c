"""Around every page: compression, the last use of a session, what people see while the database is away."""

import gzip
from datetime import timedelta

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, InternalError, OperationalError
from django.test import Client
from django.utils import timezone

from moderation.models import User, UserSession
from moderation.operations.accounts import sessions
from moderation.operations.infrastructure import outage
from moderation.queries.cases import queue
from tests.moderation.web.accounts.attempts import RIGHT

ACCEPTS = {"Accept-Encoding": "gzip"}


class TestCompression:
    def test_pages_are_compressed(self, desk: Client) -> None:
        answer = desk.get("/queue/", headers=ACCEPTS)

        assert answer.headers["Content-Encoding"] == "gzip"
        assert b"Start reviewing" in gzip.decompress(answer.content)

    def test_the_api_is_left_alone(self, desk: Client) -> None:
        answer = desk.get("/api/v1/docs", headers=ACCEPTS)

        assert "Content-Encoding" not in answer.headers


LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def signed_in(db: None) -> Client:
    User.objects.create_user("moderator", password=RIGHT)
    desk = Client()
    desk.post("/sign-in/", {"username": "moderator", "password": RIGHT})
    UserSession.objects.update(used_at=LONG_AGO)
    return desk


def elsewhere(desk: Client) -> Client:
    """The same browser before another process, which has noted nothing yet."""
    other = Client()
    other.cookies["sessionid"] = desk.cookies["sessionid"].value
    return other


class TestSessionUse:
    def test_is_noted_once_in_a_while_by_each_process(self, signed_in: Client) -> None:
        signed_in.get("/account/")
        assert UserSession.objects.get().used_at == LONG_AGO

        elsewhere(signed_in).get("/account/")

        assert UserSession.objects.get().used_at > LONG_AGO

    def test_that_cannot_be_noted_spoils_no_answer(
        self, signed_in: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise DatabaseError

        monkeypatch.setattr(sessions, "touch", fail)

        assert elsewhere(signed_in).get("/account/").status_code == 200


def as_django_wraps(kind: type[Exception], cause: psycopg.Error) -> Exception:
    """Return Django's exception as it wraps the driver's."""
    made = kind("what the driver says of 10.0.0.5")
    made.__cause__ = cause
    return made


DISK_FULL = as_django_wraps(OperationalError, psycopg.errors.DiskFull())


class TestOutage:
    @pytest.mark.parametrize(
        ("raised", "name"),
        [
            (OperationalError("gone"), "no_answer"),
            (DISK_FULL, "no_room"),
            (as_django_wraps(InternalError, psycopg.errors.ReadOnlySqlTransaction()), "read_only"),
            (as_django_wraps(InternalError, psycopg.errors.IdleInTransactionSessionTimeout()), "no_answer"),
        ],
        ids=str,
    )
    def test_is_told_from_what_the_server_said(self, raised: Exception, name: str) -> None:
        found = outage.of(raised)

        assert found is not None
        assert found.name == name

    @pytest.mark.parametrize(
        "raised",
        [
            None,
            ValueError(),
            InternalError(),
            as_django_wraps(IntegrityError, psycopg.errors.UniqueViolation()),
        ],
        ids=str,
    )
    def test_is_not_seen_in_other_failures(self, raised: Exception | None) -> None:
        assert outage.of(raised) is None


class TestFailurePage:
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
