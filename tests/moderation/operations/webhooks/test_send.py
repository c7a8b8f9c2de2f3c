"""Deliveries against a real local HTTP server standing in for the platform."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from moderation.models import AuditEntry, Delivery, Notification, SigningSecret, User, WebhookEndpoint
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import EndpointState
from moderation.operations.cases import reversals
from moderation.operations.webhooks import send as webhooks_send
from moderation.operations.webhooks.attempts import RETRY_SECONDS
from tests.moderation.instants import later
from tests.moderation.operations.webhooks.deliveries import decision_of, send
from tests.moderation.receiver import Receiver


class TestSend:
    def test_waits_for_the_end_of_the_time_for_undoing(self, delivery: Delivery, server: Receiver) -> None:
        assert send(delivery, later(14)).state == DeliveryState.WAITING
        assert server.got == []

        assert send(delivery, later(15)).state == DeliveryState.DELIVERED

    def test_signs_the_exact_bytes(self, delivery: Delivery, server: Receiver, secret: str) -> None:
        send(delivery, timezone.now())

        [(headers, body)] = server.got
        assert Webhook(secret).verify(body, headers)["data"]["verdict"] == "spam"
        assert headers["webhook-id"] == str(delivery.pk)
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body + b" ", headers)

    def test_a_replayed_message_is_too_old_for_its_receiver(
        self, delivery: Delivery, server: Receiver, secret: str
    ) -> None:
        send(delivery, timezone.now() - timedelta(minutes=6))

        [(headers, body)] = server.got
        with pytest.raises(WebhookVerificationError, match="too old"):
            Webhook(secret).verify(body, headers)

    @pytest.mark.parametrize("lost", ["secret", "key"])
    def test_holds_what_it_cannot_sign(
        self, delivery: Delivery, server: Receiver, settings: Settings, lost: str
    ) -> None:
        if lost == "secret":
            SigningSecret.objects.all().delete()
        else:
            settings.SECRET_KEY = "another than the one that encrypted"

        held = send(delivery, later(15))

        assert (held.state, held.attempts, server.got) == (DeliveryState.WAITING, 0, [])
        assert held.last_error
        assert held.next_attempt_at == later(15 + webhooks_send.HOLD_SECONDS)

    @pytest.mark.parametrize(
        ("status", "state"), [(200, "delivered"), (302, "waiting"), (500, "waiting"), (410, "failed")]
    )
    def test_takes_the_answer_at_its_word(
        self, delivery: Delivery, server: Receiver, status: int, state: str
    ) -> None:
        server.status = status

        assert send(delivery, later(15)).state == state
        assert len(server.got) == 1

    def test_ends_failed_after_the_last_retry(self, delivery: Delivery, server: Receiver) -> None:
        server.status = 503
        at = later(15)

        for _ in range(len(RETRY_SECONDS) + 1):
            assert send(delivery, at).state in {DeliveryState.WAITING, DeliveryState.FAILED}
            at = delivery.next_attempt_at

        assert delivery.state == DeliveryState.FAILED
        assert [attempt.status for attempt in delivery.log.all()] == [503] * (len(RETRY_SECONDS) + 1)

    @pytest.mark.parametrize(("asked", "waits"), [("120", 120), ("1", 5)])
    def test_comes_back_when_the_receiver_asks(
        self, delivery: Delivery, server: Receiver, asked: str, waits: int
    ) -> None:
        server.status, server.headers = 429, {"retry-after": asked}

        paused = send(delivery, later(15))

        # The call itself takes a moment.
        assert later(15 + waits) <= paused.next_attempt_at <= later(16 + waits * 1.25)

    def test_sends_nothing_of_an_undone_decision(
        self, delivery: Delivery, server: Receiver, moderator: User
    ) -> None:
        reversals.undo(decision_id=decision_of(delivery), moderator=moderator, at=later(9))

        assert send(delivery, later(15)).state == DeliveryState.CANCELLED
        assert server.got == []

    @pytest.mark.parametrize(
        "url",
        [
            "http://0x7f.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://user@localhost:{port}/",
            "ftp://localhost:{port}/",
        ],
    )
    def test_never_calls_private_addresses(
        self, delivery: Delivery, server: Receiver, settings: Settings, url: str
    ) -> None:
        settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
        WebhookEndpoint.objects.update(url=url.format(port=server.server_port))

        assert send(delivery, later(15)).state == DeliveryState.FAILED
        assert server.got == []


def test_one_gone_is_disabled_and_that_is_said(delivery: Delivery, server: Receiver, lead: User) -> None:
    server.status = 410

    send(delivery, later(15))

    endpoint = WebhookEndpoint.objects.get()
    assert (endpoint.state, endpoint.state_reason) == (EndpointState.DISABLED, "answered 410 Gone")
    assert AuditEntry.objects.filter(action="webhook.disabled").count() == 1
    assert [(one.kind, one.user) for one in Notification.objects.all()] == [("endpoint", lead)]
    with pytest.raises(webhooks_send.NoReplay):
        webhooks_send.replay(delivery_id=str(delivery.pk), at=later(20))


def test_leads_are_told_once_of_one_that_stays_away(delivery: Delivery, server: Receiver, lead: User) -> None:
    server.status = 500

    for minutes in range(0, 120, 10):
        Delivery.objects.update(state=DeliveryState.WAITING, attempts=0, next_attempt_at=later(15))
        told = Notification.objects.count()
        send(delivery, later(15 + 60 * minutes))

    assert told == 1
    assert Notification.objects.get().user == lead


class TestOrder:
    @pytest.fixture
    def correction(self, delivery: Delivery, server: Receiver, moderator: User) -> Delivery:
        """A second message about the post, while the first one still fails."""
        server.status = 500
        send(delivery, later(15))
        right = reversals.correct(
            decision_id=decision_of(delivery), verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(16)
        )
        server.got.clear()
        server.status = 204
        return Delivery.objects.get(decision=right)

    def test_the_second_message_waits_for_the_first(
        self, delivery: Delivery, correction: Delivery, server: Receiver
    ) -> None:
        assert send(correction, later(17)).state == DeliveryState.WAITING
        assert server.got == []

        send(delivery, later(60))
        send(correction, later(60))

        assert [headers["webhook-id"] for headers, _ in server.got] == [str(delivery.pk), str(correction.pk)]

    def test_a_failed_first_message_frees_the_way(self, delivery: Delivery, correction: Delivery) -> None:
        Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.FAILED)

        assert send(correction, later(17)).state == DeliveryState.DELIVERED


def test_a_replay_keeps_id_and_body(delivery: Delivery, server: Receiver) -> None:
    send(delivery, later(15))

    webhooks_send.replay(delivery_id=str(delivery.pk), at=later(90))
    send(delivery, later(90))

    (first, body), (again, same_body) = server.got
    assert (first["webhook-id"], body) == (again["webhook-id"], same_body)
    assert delivery.state == DeliveryState.DELIVERED
