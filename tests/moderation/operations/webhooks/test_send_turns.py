"""Turns at endpoints: what is claimed, in which order, how much at once, and who is called no more."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.conf import settings as configured
from django.db import connection, transaction

from moderation import enqueue
from moderation.models import Delivery, EndpointCircuit, Platform, Post, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import CircuitState
from moderation.operations.webhooks import attempts, circuit, send
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import side_by_side
from tests.moderation.operations.webhooks.deliveries import LEASE_SECONDS, Make, counted
from tests.moderation.receiver import Receiver

pytestmark = pytest.mark.django_db


class TestTurn:
    def test_sends_all_that_is_due_over_few_connections(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver
    ) -> None:
        make(100)

        assert send.serve(endpoint_id=endpoint.pk, at=AT) == 100

        assert counted("delivered") == 100
        assert len({headers["webhook-id"] for headers, _ in server.got}) == 100
        assert server.connections <= send.CONNECTIONS

    def test_asks_the_database_little_for_each(
        self, make: Make, endpoint: WebhookEndpoint, django_assert_max_num_queries: Callable[..., Any]
    ) -> None:
        make(256)

        with django_assert_max_num_queries(150):
            send.serve(endpoint_id=endpoint.pk, at=AT)

    def test_keeps_the_order_of_each_post(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, post: Callable[[], Post]
    ) -> None:
        posts = [post() for _ in range(5)]
        for sequence in (3, 1, 2):
            for row in posts:
                make(1, post=row, sequence=sequence, body={"post": row.pk, "sequence": sequence})

        send.serve(endpoint_id=endpoint.pk, at=AT)

        told = [
            tuple(Delivery.objects.get(pk=headers["webhook-id"]).body.values()) for headers, _ in server.got
        ]
        for row in posts:
            assert [sequence for post_id, sequence in told if post_id == row.pk] == [1, 2, 3]

    def test_of_two_turns_one_finds_the_endpoint_busy(self, make: Make, endpoint: WebhookEndpoint) -> None:
        make(1)
        assert circuit.take(endpoint_id=endpoint.pk, at=later(0)) is not None

        assert send.serve(endpoint_id=endpoint.pk, at=later(1)) == 0
        assert send.serve(endpoint_id=endpoint.pk, at=later(LEASE_SECONDS)) == 1

    def test_a_clock_set_back_leaves_no_endpoint_and_no_delivery_leased(
        self, make: Make, endpoint: WebhookEndpoint
    ) -> None:
        make(1)
        circuit.take(endpoint_id=endpoint.pk, at=later(3_600))
        attempts.claim(endpoint_id=endpoint.pk, limit=1, at=later(3_600))

        assert send.serve(endpoint_id=endpoint.pk, at=later(1)) == 1

    def test_one_that_was_claimed_is_not_claimed_again_before_its_lease_is_over(
        self, make: Make, endpoint: WebhookEndpoint
    ) -> None:
        [row] = make(1)
        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(0)) == [row]

        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(LEASE_SECONDS - 1)) == []
        assert attempts.claim(endpoint_id=endpoint.pk, limit=9, at=later(LEASE_SECONDS)) == [row]

    def test_what_was_cancelled_during_its_call_stays_cancelled(
        self, make: Make, endpoint: WebhookEndpoint
    ) -> None:
        make(1)
        [row] = attempts.claim(endpoint_id=endpoint.pk, limit=1, at=later(1))
        Delivery.objects.update(state=DeliveryState.CANCELLED)

        attempts.record([attempts.Attempt(delivery=row, at=later(1), seconds=0.1, status=204)], unsent=[])

        assert Delivery.objects.get().state == DeliveryState.CANCELLED

    def test_what_waits_at_a_disabled_endpoint_fails_visibly(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver
    ) -> None:
        make(2)
        WebhookEndpoint.objects.update(state="disabled")

        send.serve(endpoint_id=endpoint.pk, at=AT)

        assert (counted("failed"), server.got) == (2, [])


@pytest.mark.django_db(transaction=True)
def test_the_claim_is_there_to_be_seen_before_the_call(
    make: Make, endpoint: WebhookEndpoint, server: Receiver
) -> None:
    """Whoever locks the row, to undo the decision, must see that it may be told."""
    make(1)
    seen: list[object] = []

    def look() -> None:
        seen.append(Delivery.objects.values_list("lease_until", flat=True).get())
        connection.close()

    server.before_answer = look

    send.serve(endpoint_id=endpoint.pk, at=AT)

    assert len(seen) == 1
    assert seen[0] is not None
    assert Delivery.objects.get().lease_until is None


class TestSweep:
    @pytest.fixture
    def enqueued(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        found: list[int] = []
        monkeypatch.setattr(
            enqueue, "deliveries", lambda *, endpoint_id, due_at=None: found.append(endpoint_id)
        )
        return found

    def test_a_pile_at_one_endpoint_hides_no_other(
        self, make: Make, endpoint: WebhookEndpoint, platform: Platform, enqueued: list[int]
    ) -> None:
        other = WebhookEndpoint.objects.create(
            platform=platform, url="http://b.example", created_at=later(0), changed_at=later(0)
        )
        make(3_000)
        make(1, to=other, next_attempt_at=later(5))

        assert send.sweep(at=later(6)) == 2
        assert enqueued == [endpoint.pk, other.pk]

    def test_an_open_circuit_is_left_alone_until_its_time(
        self, make: Make, endpoint: WebhookEndpoint, enqueued: list[int]
    ) -> None:
        make(1)
        EndpointCircuit.objects.create(endpoint=endpoint, state=CircuitState.OPEN, retry_at=later(60))

        assert send.sweep(at=later(59)) == 0
        assert send.sweep(at=later(60)) == 1


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
        outcomes = side_by_side(*[lambda: enqueue._send_turn(endpoint.pk, due=0, request_id="")] * 8)

        assert outcomes == [None] * 8
        assert queue() == 1
