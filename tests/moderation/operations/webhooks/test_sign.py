"""Which secrets sign a delivery, while one takes the place of the other."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from moderation.models import Delivery, SigningSecret, WebhookEndpoint
from moderation.models.webhooks import SignatureKind
from moderation.operations.webhooks import endpoints
from tests.moderation.operations.webhooks.deliveries import send
from tests.moderation.receiver import Receiver


class TestSecrets:
    def test_both_sign_while_one_takes_the_place_of_the_other(
        self, endpoint: WebhookEndpoint, secret: str, delivery: Delivery, server: Receiver
    ) -> None:
        now = timezone.now()
        _, new = endpoints.rotate(endpoint_id=endpoint.pk, overlap=timedelta(hours=1), at=now)

        send(delivery, now)

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

        send(delivery, now)

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

        send(delivery, now)

        [(headers, body)] = server.got
        version, _, signature = headers["webhook-signature"].partition(",")
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix("whpk_")))
        key.verify(base64.b64decode(signature), signed)  # raises InvalidSignature
        assert version == "v1a"

    def test_lie_encrypted(self, secret: str) -> None:
        [kept] = SigningSecret.objects.all()

        assert secret.removeprefix("whsec_") not in kept.ciphertext
