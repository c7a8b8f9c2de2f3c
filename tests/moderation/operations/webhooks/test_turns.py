"""Turns at endpoints: what is claimed, in which order, how much at once, and who is called no more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings as configured
from django.db import connection, transaction
from pytest_django import Settings

from moderation import enqueue
from moderation.models import Delivery, EndpointCircuit, Platform, Post, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import CircuitState
from moderation.operations.infrastructure import egress
from moderation.operations.webhooks import attempts, circuit, endpoints, send
from moderation.operations.webhooks.lanes import Lanes
from tests.moderation import receiver
from tests.moderation.receiver import Receiver

pytestmark = pytest.mark.django_db

LEASE_SECONDS = circuit.LEASE.total_seconds()
Later = Callable[[float], datetime]
Make = Callable[..., list[Delivery]]


@pytest.fixture(autouse=True)
def local_hosts(settings: Settings) -> None:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiver.listening() as listening:
        yield listening


@pytest.fixture
def endpoint(server: Receiver, platform: Platform, at: datetime) -> WebhookEndpoint:
    return endpoints.add(platform=platform, url=server.url, at=at)[0]


@pytest.fixture
def make(platform: Platform, endpoint: WebhookEndpoint, at: datetime) -> Make:
    """Put deliveries of no post into the outbox."""

    def put(count: int, *, to: WebhookEndpoint = endpoint, **given: object) -> list[Delivery]:
        values: dict[str, object] = {
            "platform": platform,
            "endpoint": to,
            "event": "model.promoted",
            "body": {"type": "model.promoted"},
            "created_at": at,
            "next_attempt_at": at,
        }
        return Delivery.objects.bulk_create(Delivery(**values | given) for _ in range(count))

    return put


def counted(state: str) -> int:
    return Delivery.objects.filter(state=state).count()


class TestTurn:
    def test_sends_all_that_is_due_over_few_connections(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, at: datetime
    ) -> None:
        make(100)

        assert send.serve(endpoint_id=endpoint.pk, at=at) == 100

        assert counted("delivered") == 100
        assert len({headers["webhook-id"] for headers, _ in server.got}) == 100
        assert server.connections <= send.CONNECTIONS

    def test_asks_the_database_little_for_each(
        self,
        make: Make,
        endpoint: WebhookEndpoint,
        at: datetime,
        django_assert_max_num_queries: Callable[..., Any],
    ) -> None:
        make(256)

        with django_assert_max_num_queries(150):
            send.serve(endpoint_id=endpoint.pk, at=at)

    def test_keeps_the_order_of_each_post(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, post: Callable[[], Post], at: datetime
    ) -> None:
        posts = [post() for _ in range(5)]
        for sequence in (3, 1, 2):
            for row in posts:
                make(1, post=row, sequence=sequence, body={"post": row.pk, "sequence": sequence})

        send.serve(endpoint_id=endpoint.pk, at=at)

        told = [
            tuple(Delivery.objects.get(pk=headers["webhook-id"]).body.values()) for headers, _ in server.got
        ]
        for row in posts:
            assert [sequence for post_id, sequence in told if post_id == row.pk] == [1, 2, 3]

    def test_of_two_turns_one_finds_the_endpoint_busy(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> None:
        make(1)
        assert circuit.take(endpoint_id=endpoint.pk, at=later(0)) is not None

        assert send.serve(endpoint_id=endpoint.pk, at=later(1)) == 0
        assert send.serve(endpoint_id=endpoint.pk, at=later(LEASE_SECONDS)) == 1

    def test_a_clock_set_back_leaves_no_endpoint_and_no_delivery_leased(
        self, make: Make, endpoint: WebhookEndpoint, later: Later
    ) -> None:
        make(1)
        circuit.take(endpoint_id=endpoint.pk, at=later(3_600))
        attempts.claim(endpoint_id=endpoint.pk, limit=1, at=later(3_600))

        assert send.serve(endpoint_id=endpoint.pk, at=later(1)) == 1

    def test_one_that_was_claimed_is_not_claimed_again_before_its_lease_is_over(
        self, make: Make, endpoint: WebhookEndpoint, later: Later
    ) -> None:
        [row] = make(1)
        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(0)) == [row]

        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(LEASE_SECONDS - 1)) == []
        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(LEASE_SECONDS)) == [row]

    def test_what_was_cancelled_is_not_sent_and_stays_cancelled(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, at: datetime
    ) -> None:
        make(1, state=DeliveryState.CANCELLED)

        assert send.serve(endpoint_id=endpoint.pk, at=at) == 0
        assert server.got == []

    def test_what_waits_at_a_disabled_endpoint_fails_visibly(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, at: datetime
    ) -> None:
        make(2)
        WebhookEndpoint.objects.update(state="disabled")

        send.serve(endpoint_id=endpoint.pk, at=at)

        assert (counted("failed"), server.got) == (2, [])


@pytest.mark.django_db(transaction=True)
def test_the_claim_is_there_to_be_seen_before_the_call(
    make: Make, endpoint: WebhookEndpoint, server: Receiver, at: datetime
) -> None:
    """Whoever locks the row, to undo the decision, must see that it may be told."""
    make(1)
    seen: list[object] = []

    def look() -> None:
        seen.append(Delivery.objects.values_list("lease_until", flat=True).get())
        connection.close()

    server.before_answer = look

    send.serve(endpoint_id=endpoint.pk, at=at)

    assert len(seen) == 1
    assert seen[0] is not None
    assert Delivery.objects.get().lease_until is None


class TestCircuit:
    @pytest.fixture
    def opened(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> EndpointCircuit:
        """A circuit that opened because of an endpoint that fails."""
        make(50)
        server.status = 500
        for turn in range(circuit.OPENS_AFTER):
            send.serve(endpoint_id=endpoint.pk, at=later(turn))
        return EndpointCircuit.objects.get()

    def test_opens_after_some_failures_in_a_row(
        self, opened: EndpointCircuit, server: Receiver, later: Later
    ) -> None:
        assert (opened.state, opened.last_error) == (CircuitState.OPEN, "HTTP status 500")
        assert opened.since is not None
        assert opened.retry_at is not None
        assert timedelta(seconds=5) <= opened.retry_at - opened.since <= timedelta(seconds=6.25)
        assert len(server.got) == circuit.OPENS_AFTER

    def test_while_it_is_open_nothing_loses_an_attempt(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> None:
        assert send.serve(endpoint_id=endpoint.pk, at=later(8)) == 0

        assert Delivery.objects.filter(attempts=0, state="waiting", lease_until=None).count() == 45
        assert len(server.got) == circuit.OPENS_AFTER

    def test_one_call_shows_whether_it_is_back(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> None:
        assert send.serve(endpoint_id=endpoint.pk, at=later(30)) == 1
        again = EndpointCircuit.objects.get()
        assert (again.state, again.since) == (CircuitState.OPEN, opened.since)
        assert again.retry_at is not None
        assert timedelta(seconds=9) <= again.retry_at - later(30) <= timedelta(seconds=14)

        server.status = 204
        assert send.serve(endpoint_id=endpoint.pk, at=later(120)) == 50
        closed = EndpointCircuit.objects.get()
        assert (closed.state, closed.since, closed.retry_at) == (CircuitState.CLOSED, None, None)
        assert counted("delivered") == 50

    def test_a_replay_by_hand_does_not_wait_for_the_pause(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver, make: Make, later: Later
    ) -> None:
        [row] = make(1, state=DeliveryState.FAILED)
        server.status = 204

        send.replay(delivery_id=str(row.pk), at=later(8))

        assert send.serve(endpoint_id=endpoint.pk, at=later(8)) >= 46

    def test_a_change_of_the_endpoint_closes_it(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> None:
        server.status = 204
        endpoints.change(endpoint_id=endpoint.pk, url=server.url + "/new", at=later(6))

        assert send.serve(endpoint_id=endpoint.pk, at=later(6)) > 40

    def test_what_it_held_up_for_days_fails_visibly(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, later: Later
    ) -> None:
        send.serve(endpoint_id=endpoint.pk, at=later(5 * 86_400))

        assert counted("failed") > 40
        failed = Delivery.objects.filter(state="failed", attempts=0).first()
        assert failed is not None
        assert "not answered for days" in failed.last_error

    @pytest.mark.parametrize("status", [400, 404, 302])
    def test_a_message_that_is_refused_says_nothing_of_the_others(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, at: datetime, status: int
    ) -> None:
        make(20)
        server.status = status

        assert send.serve(endpoint_id=endpoint.pk, at=at) == 20
        assert EndpointCircuit.objects.get().state == CircuitState.CLOSED

    def test_an_endpoint_that_asks_for_time_gets_it(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, later: Later
    ) -> None:
        make(20)
        server.status, server.headers = 429, {"retry-after": "120"}

        assert send.serve(endpoint_id=endpoint.pk, at=later(0)) == 1
        server.status, server.headers = 204, {}
        assert send.serve(endpoint_id=endpoint.pk, at=later(119)) == 0
        assert send.serve(endpoint_id=endpoint.pk, at=later(121)) >= 19

    def test_nobody_there_is_a_failure(self, make: Make, endpoint: WebhookEndpoint, later: Later) -> None:
        make(9)
        WebhookEndpoint.objects.update(url="http://127.0.0.1:1/")

        for turn in range(9):
            send.serve(endpoint_id=endpoint.pk, at=later(turn / 10))

        assert EndpointCircuit.objects.get().state == CircuitState.OPEN
        assert Delivery.objects.filter(attempts=0).count() == 9 - circuit.OPENS_AFTER

    def test_one_that_does_not_answer_costs_one_call_at_a_time(
        self,
        make: Make,
        endpoint: WebhookEndpoint,
        server: Receiver,
        at: datetime,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(egress, "TIMEOUT_SECONDS", 0.2)
        make(9)
        server.wait_seconds = 0.6

        assert send.serve(endpoint_id=endpoint.pk, at=at) == 1


class TestSweep:
    @pytest.fixture
    def enqueued(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        found: list[int] = []
        monkeypatch.setattr(
            enqueue, "deliveries", lambda *, endpoint_id, due_at=None: found.append(endpoint_id)
        )
        return found

    def test_a_pile_at_one_endpoint_hides_no_other(
        self, make: Make, endpoint: WebhookEndpoint, platform: Platform, enqueued: list[int], later: Later
    ) -> None:
        other = WebhookEndpoint.objects.create(
            platform=platform, url="http://b.example", created_at=later(0), changed_at=later(0)
        )
        make(3_000)
        make(1, to=other, next_attempt_at=later(5))

        assert send.sweep(at=later(6)) == 2
        assert enqueued == [endpoint.pk, other.pk]

    def test_an_open_circuit_is_left_alone_until_its_time(
        self, make: Make, endpoint: WebhookEndpoint, enqueued: list[int], later: Later
    ) -> None:
        make(1)
        EndpointCircuit.objects.create(endpoint=endpoint, state=CircuitState.OPEN, retry_at=later(60))

        assert send.sweep(at=later(59)) == 0
        assert send.sweep(at=later(60)) == 1


class TestLanes:
    def test_suspects_leave_places_for_the_others(self) -> None:
        lanes = Lanes(suspects=1, per_platform=9)
        with lanes.place(platform_id=1, is_suspect=True) as first:
            with lanes.place(platform_id=2, is_suspect=True) as second:
                assert (first, second) == (True, False)
            with lanes.place(platform_id=2, is_suspect=False) as third:
                assert third
        with lanes.place(platform_id=2, is_suspect=True) as again:
            assert again

    def test_a_platform_has_its_share(self) -> None:
        lanes = Lanes(suspects=9, per_platform=1)
        with lanes.place(platform_id=1, is_suspect=False):
            with lanes.place(platform_id=1, is_suspect=False) as second:
                assert not second
            with lanes.place(platform_id=2, is_suspect=False) as other:
                assert other


@pytest.mark.django_db(transaction=True)
class TestMessages:
    @pytest.fixture
    def queue(self) -> Iterator[Callable[[], int]]:
        """Count the messages for turns in the broker."""
        with redis.Redis.from_url(configured.CELERY_BROKER_URL) as broker:
            broker.flushdb()
            yield lambda: int(broker.llen("webhooks"))
            broker.flushdb()

    def test_a_thousand_deliveries_are_one_message(
        self, endpoint: WebhookEndpoint, queue: Callable[[], int]
    ) -> None:
        for _ in range(10):
            with transaction.atomic():
                for _ in range(100):
                    enqueue.deliveries(endpoint_id=endpoint.pk)

        assert queue() == 1

    def test_what_commits_after_a_turn_began_gets_another(
        self, endpoint: WebhookEndpoint, queue: Callable[[], int]
    ) -> None:
        enqueue.deliveries(endpoint_id=endpoint.pk)
        enqueue.deliveries_begun(endpoint_id=endpoint.pk)
        enqueue.deliveries(endpoint_id=endpoint.pk)

        assert queue() == 2

    def test_side_by_side_too(self, endpoint: WebhookEndpoint, queue: Callable[[], int]) -> None:
        threads = [
            threading.Thread(
                target=enqueue._send_turn, args=(endpoint.pk,), kwargs={"due": 0, "request_id": ""}
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

        assert queue() == 1
