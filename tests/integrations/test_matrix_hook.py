"""Callbacks of synapse-http-antispam, as its module sends them."""

import json
from typing import Any

import pytest
from django.test import Client

from integrations import setup
from integrations.models import Integration, Item
from moderation.models import Post, User
from moderation.models.decisions import Verdict
from moderation.operations import score_now

EVENT = {
    "event_id": "$one",
    "room_id": "!room:matrix.test",
    "sender": "@someone:matrix.test",
    "type": "m.room.message",
    "origin_server_ts": 1_700_000_000_000,
    "content": {"msgtype": "m.text", "body": "Hello, is the library open on Sunday?"},
}


@pytest.fixture
def secret(integration: Integration, admin: User, at: Any) -> str:
    setup.change(integration_id=integration.pk, actor=admin, at=at, webhook_secret="kept here and there")
    integration.refresh_from_db()
    return "kept here and there"


def send(
    integration: Integration, callback: str, body: Any, *, secret: str = "", hook: str = "matrix"
) -> tuple[int, dict[str, Any]]:
    answer = Client().post(
        f"/integrations/{hook}/{integration.hook}/{callback}",
        data=body if isinstance(body, str) else json.dumps(body),
        content_type="application/json",
        headers={"authorization": f"Bearer {secret}"},
    )
    return answer.status_code, json.loads(answer.content)


def test_ping(integration: Integration) -> None:
    assert send(integration, "ping", {"id": "7"}) == (200, {"id": "7", "status": "ok"})


@pytest.mark.parametrize(
    "callback", ["user_may_invite", "check_login_for_spam", "check_username_for_spam", "made_up"]
)
@pytest.mark.parametrize("body", [{}, "no json", "[]", {"inviter": "\0"}])
def test_everything_else_goes_through_whatever_it_says(
    integration: Integration, callback: str, body: object
) -> None:
    assert send(integration, callback, body) == (200, {})


def test_a_message_is_stored_scored_and_let_through(
    integration: Integration, secret: str, fake_scorer: object
) -> None:
    assert send(integration, "check_event_for_spam", {"event": EVENT}, secret=secret) == (200, {})

    assert Post.objects.get().external_id == "matrix:$one"
    assert Item.objects.get().remote["sender"] == "@someone:matrix.test"


def test_what_the_filter_removes_is_refused(integration: Integration, secret: str, fake_scorer: Any) -> None:
    fake_scorer.default = 0.999

    status, body = send(integration, "check_event_for_spam", {"event": EVENT}, secret=secret)

    assert (status, body["errcode"]) == (403, "M_FORBIDDEN")
    assert Post.objects.get().decisions.get().verdict == Verdict.SPAM


@pytest.mark.parametrize("event", [None, [], {"type": "m.room.encrypted"}, {"content": {"body": 7}}])
def test_what_says_nothing_goes_through(integration: Integration, secret: str, event: object) -> None:
    assert send(integration, "check_event_for_spam", {"event": event}, secret=secret) == (200, {})
    assert not Post.objects.exists()


@pytest.mark.parametrize("given", ["", "another"])
def test_without_the_secret_nothing_is_stored(integration: Integration, secret: str, given: str) -> None:
    assert send(integration, "check_event_for_spam", {"event": EVENT}, secret=given) == (200, {})
    assert not Post.objects.exists()


@pytest.mark.parametrize(("hook", "status"), [("matrix", 200), ("matrix-closed", 503)])
def test_a_failure_is_open_or_closed_by_the_address(
    integration: Integration, secret: str, monkeypatch: pytest.MonkeyPatch, hook: str, status: int
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr(score_now, "run", fail)

    assert send(integration, "check_event_for_spam", {"event": EVENT}, secret=secret, hook=hook)[0] == status
    assert send(integration, "user_may_invite", {}, hook=hook)[0] == 200
