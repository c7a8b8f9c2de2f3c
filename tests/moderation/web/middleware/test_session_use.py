"""When a session was last used is noted now and then, at the cost of one query."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from moderation.models import User, UserSession
from moderation.operations.accounts import sessions
from tests.moderation.web.accounts.attempts import RIGHT

LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def desk(db: None) -> Client:
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


def test_is_noted_once_in_a_while_by_each_process(desk: Client) -> None:
    desk.get("/health/")
    assert UserSession.objects.get().used_at == LONG_AGO

    elsewhere(desk).get("/health/")

    assert UserSession.objects.get().used_at > LONG_AGO


def test_that_cannot_be_noted_spoils_no_answer(desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(sessions, "touch", fail)

    assert elsewhere(desk).get("/account/").status_code == 200
