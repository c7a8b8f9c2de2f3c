"""Sign deliveries by the Standard Webhooks specification, and create their secrets.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
HMAC uses the specification's own library; it lacks ed25519, which is computed here over the same bytes.
"""

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from standardwebhooks.webhooks import Webhook

from moderation.models import SigningSecret
from moderation.models.webhooks import SignatureKind
from moderation.operations.infrastructure import vault

_SECRET_BYTES = 32
"""The specification asks for 24 to 64 random bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """A new secret. `shown` is the part for the platform: the shared secret, or the public key."""

    kind: SignatureKind
    ciphertext: str
    public_key: str
    shown: str


def make(kind: SignatureKind) -> NewSecret:
    """Make a secret. Raises vault.MissingKey."""
    if kind == SignatureKind.HMAC:
        secret = "whsec_" + _base64(secrets.token_bytes(_SECRET_BYTES))
        return NewSecret(kind=kind, ciphertext=vault.encrypt(secret), public_key="", shown=secret)
    private = Ed25519PrivateKey.generate()
    raw = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    public = "whpk_" + _base64(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
    return NewSecret(
        kind=kind, ciphertext=vault.encrypt("whsk_" + _base64(raw)), public_key=public, shown=public
    )


class Signer:
    """Signs with every secret in force, decrypted once. Raises vault.MissingKey when it is made."""

    def __init__(self, keys: Sequence[SigningSecret]) -> None:
        self._keys = [(key.kind, vault.decrypt(key.ciphertext)) for key in keys]

    def signatures(self, *, message_id: str, at: datetime, body: str) -> str:
        """Return the header webhook-signature: one signature per secret, separated by spaces."""
        return " ".join(
            _signature(kind, secret, message_id=message_id, at=at, body=body) for kind, secret in self._keys
        )


def _signature(kind: str, secret: str, *, message_id: str, at: datetime, body: str) -> str:
    if kind == SignatureKind.HMAC:
        return str(Webhook(secret).sign(msg_id=message_id, timestamp=at, data=body))
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret.removeprefix("whsk_")))
    # Whole seconds, as in the header webhook-timestamp, with which the receiver verifies.
    signed = f"{message_id}.{int(at.timestamp())}.{body}".encode()
    return f"v1a,{_base64(private.sign(signed))}"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
