"""Endpoints: test messages, secrets that sign, how many calls at once, and when none for a while."""

import base64
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from moderation.models import AuditEntry, Delivery, EndpointCircuit, SigningSecret, User, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import CircuitState, SignatureKind
from moderation.operations.infrastructure import egress
from moderation.operations.webhooks import circuit, endpoints, send
from moderation.operations.webhooks.lanes import Lanes
from tests.moderation.instants import AT, later
from tests.moderation.operations.webhooks import deliveries
from tests.moderation.operations.webhooks.deliveries import Make, counted
from tests.moderation.receiver import Receiver


class TestTestMessage:
    def test_is_signed_and_audited(
        self, endpoint: WebhookEndpoint, server: Receiver, secret: str, lead: User
    ) -> None:
        now = timezone.now()
        delivery = endpoints.ping(endpoint_id=endpoint.pk, actor=lead, at=now)

        assert deliveries.send(delivery, now).state == "delivered"
        [(headers, body)] = server.got
        assert Webhook(secret).verify(body, headers)["type"] == "webhook.ping"
        entry = AuditEntry.objects.get(action="webhook.pinged")
        assert (entry.actor, entry.subject_id) == (lead, str(endpoint.pk))


class TestSecrets:
    def test_both_sign_while_one_takes_the_place_of_the_other(
        self, endpoint: WebhookEndpoint, secret: str, delivery: Delivery, server: Receiver
    ) -> None:
        now = timezone.now()
        _, new = endpoints.rotate(endpoint_id=endpoint.pk, overlap=timedelta(hours=1), at=now)

        deliveries.send(delivery, now)

        [(headers, body)] = server.got
        Webhook(secret).verify(body, headers)
        Webhook(new).verify(body, headers)

    def test_the_old_one_signs_no_more_when_the_overlap_is_over(
        self, endpoint: WebhookEndpoint, secret: str, delivery: Delivery, server: Receiver
    ) -> None:
        now = timezone.now()
        _, new = endpoints.rotate(
            endpoint_id=endpoint.pk, overlap=timedelta(hours=1), at=now - timedelta(hours=2)
        )

        deliveries.send(delivery, now)

        [(headers, body)] = server.got
        Webhook(new).verify(body, headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, headers)

    def test_ed25519_signs_the_same_bytes(
        self, endpoint: WebhookEndpoint, delivery: Delivery, server: Receiver
    ) -> None:
        now = timezone.now()
        _, public = endpoints.rotate(
            endpoint_id=endpoint.pk, overlap=timedelta(0), kind=SignatureKind.ED25519, at=now
        )

        deliveries.send(delivery, now)

        [(headers, body)] = server.got
        version, _, signature = headers["webhook-signature"].partition(",")
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix("whpk_")))
        key.verify(base64.b64decode(signature), signed)  # raises InvalidSignature
        assert version == "v1a"

    def test_lie_encrypted(self, secret: str) -> None:
        [kept] = SigningSecret.objects.all()

        assert secret.removeprefix("whsec_") not in kept.ciphertext


@pytest.mark.django_db
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


class TestCircuit:
    @pytest.fixture
    def opened(self, make: Make, endpoint: WebhookEndpoint, server: Receiver) -> EndpointCircuit:
        """A circuit that opened because of an endpoint that fails."""
        make(50)
        server.status = 500
        for turn in range(circuit.OPENS_AFTER):
            send.serve(endpoint_id=endpoint.pk, at=later(turn))
        return EndpointCircuit.objects.get()

    def test_opens_after_some_failures_in_a_row_and_nothing_loses_an_attempt(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver
    ) -> None:
        assert (opened.state, opened.last_error) == (CircuitState.OPEN, "HTTP status 500")
        assert opened.since is not None
        assert opened.retry_at is not None
        assert timedelta(seconds=5) <= opened.retry_at - opened.since <= timedelta(seconds=6.25)
        assert send.serve(endpoint_id=endpoint.pk, at=later(8)) == 0
        assert Delivery.objects.filter(attempts=0, state="waiting", lease_until=None).count() == 45
        assert len(server.got) == circuit.OPENS_AFTER

    def test_one_call_shows_whether_it_is_back(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver
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
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver, make: Make
    ) -> None:
        [row] = make(1, state=DeliveryState.FAILED)
        server.status = 204

        send.replay(delivery_id=str(row.pk), at=later(8))

        assert send.serve(endpoint_id=endpoint.pk, at=later(8)) >= 46

    def test_a_change_of_the_endpoint_closes_it(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint, server: Receiver
    ) -> None:
        server.status = 204
        endpoints.change(endpoint_id=endpoint.pk, url=server.url + "/new", at=later(6))

        assert send.serve(endpoint_id=endpoint.pk, at=later(6)) > 40

    def test_what_it_held_up_for_days_fails_visibly(
        self, opened: EndpointCircuit, endpoint: WebhookEndpoint
    ) -> None:
        send.serve(endpoint_id=endpoint.pk, at=later(5 * 86_400))

        assert counted("failed") > 40
        failed = Delivery.objects.filter(state="failed", attempts=0).first()
        assert failed is not None
        assert "not answered for days" in failed.last_error

    @pytest.mark.parametrize("status", [400, 404, 302])
    def test_a_message_that_is_refused_says_nothing_of_the_others(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, status: int
    ) -> None:
        make(20)
        server.status = status

        assert send.serve(endpoint_id=endpoint.pk, at=AT) == 20
        assert EndpointCircuit.objects.get().state == CircuitState.CLOSED

    def test_an_endpoint_that_asks_for_time_gets_it(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver
    ) -> None:
        make(20)
        server.status, server.headers = 429, {"retry-after": "120"}

        assert send.serve(endpoint_id=endpoint.pk, at=later(0)) == 1
        server.status, server.headers = 204, {}
        assert send.serve(endpoint_id=endpoint.pk, at=later(119)) == 0
        assert send.serve(endpoint_id=endpoint.pk, at=later(121)) >= 19

    def test_nobody_there_is_a_failure(self, make: Make, endpoint: WebhookEndpoint) -> None:
        make(9)
        WebhookEndpoint.objects.update(url="http://127.0.0.1:1/")

        for turn in range(9):
            send.serve(endpoint_id=endpoint.pk, at=later(turn / 10))

        assert EndpointCircuit.objects.get().state == CircuitState.OPEN
        assert Delivery.objects.filter(attempts=0).count() == 9 - circuit.OPENS_AFTER

    def test_one_that_does_not_answer_costs_one_call_at_a_time(
        self, make: Make, endpoint: WebhookEndpoint, server: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(egress, "TIMEOUT_SECONDS", 0.2)
        make(9)
        server.wait_seconds = 0.6

        assert send.serve(endpoint_id=endpoint.pk, at=AT) == 1
