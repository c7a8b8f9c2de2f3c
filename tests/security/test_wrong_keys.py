"""Promise: wrong keys soon cost no query, and hold up nobody whose key is right."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from moderation.operations.accounts import wrong_keys
from moderation.operations.infrastructure import limits

WRONG = [f"sk_test_{number:08d}{'A' * 40}" for number in range(400)]


@pytest.fixture(autouse=True)
def empty_store(
    patience_with_wrong_keys: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Earlier tests' wrong keys do not count, nor ours for later ones."""

    def empty() -> None:
        with redis.Redis.from_url(settings.CELERY_BROKER_URL) as store:
            for name in store.scan_iter("spamdesk:*key*"):
                store.delete(name)

    empty()
    settings.WRONG_KEYS_PER_MINUTE = settings.WRONG_KEYS_BURST = 60
    monkeypatch.setattr(limits._Store, "paused_until", 0.0)
    wrong_keys._right.clear()
    yield
    empty()


def ask(client: Client, secret: str, *, ip: str = "192.0.2.1") -> Any:
    return client.get("/api/v1/decisions", headers={"authorization": f"Bearer {secret}"}, REMOTE_ADDR=ip)


def flood(client: Client, *, ip: str = "192.0.2.1") -> list[int]:
    return [ask(client, wrong, ip=ip).status_code for wrong in WRONG[:120]]


@pytest.mark.django_db
class TestWrongKeys:
    def test_are_refused_without_a_query_after_sixty(self, client: Client) -> None:
        statuses = flood(client)

        assert statuses[:60] == [401] * 60
        assert statuses[60:].count(429) >= 40  # a place comes free each second
        with CaptureQueriesContext(connection) as queries:
            answers = [ask(client, wrong) for wrong in WRONG[120:140]]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(queries) <= len(answers) - len(refused)
        assert int(refused[0].headers["Retry-After"]) >= 1
        assert refused[0].json()["type"] == "/problems/rate_limited"

    def test_hold_up_no_key_that_was_right_before(self, client: Client, secret: str) -> None:
        assert ask(client, secret).status_code == 200
        flood(client)

        assert ask(client, secret).status_code == 200
        wrong_keys._right.clear()  # a process that has just been started
        assert ask(client, secret).status_code == 200

    def test_hold_up_nobody_elsewhere(self, client: Client, secret: str) -> None:
        flood(client)

        assert ask(client, secret).status_code == 429
        assert ask(client, secret, ip="192.0.2.2").status_code == 200

    def test_count_for_a_whole_ipv6_network(self, client: Client) -> None:
        statuses = [
            ask(client, wrong, ip=f"2001:db8::{n:x}").status_code for n, wrong in enumerate(WRONG[:100])
        ]

        assert 429 in statuses
        assert ask(client, WRONG[0], ip="2001:db8:0:1::1").status_code == 401

    def test_of_another_shape_cost_nothing_and_count_nothing(self, client: Client) -> None:
        with CaptureQueriesContext(connection) as queries:
            statuses = {ask(client, f"nonsense{number}").status_code for number in range(100)}

        assert (statuses, len(queries)) == ({401}, 0)

    def test_count_for_plugins_of_akismet_too(self, client: Client, secret: str) -> None:
        statuses = [
            client.post("/1.1/verify-key", {"key": wrong}, REMOTE_ADDR="192.0.2.1").status_code
            for wrong in WRONG[:100]
        ]

        assert statuses[0] == 200
        assert 429 in statuses
        last = client.post("/1.1/comment-check", {"api_key": WRONG[-1]}, REMOTE_ADDR="192.0.2.1")
        assert last.status_code == 429

    def test_are_answered_as_before_without_the_store(
        self, client: Client, settings: Any, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(limits._Store, "paused_until", float("inf"))

        assert set(flood(client)) == {401}
