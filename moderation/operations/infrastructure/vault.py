"""Encryption at rest for what must be read again: signing secrets, and stored answers that show one.

Keys come from the environment (SPAMDESK_ENCRYPTION_KEYS): the first encrypts, all of them decrypt. To rotate,
put a new key in front, `renew` what is kept, and remove the old one.
"""

import base64
import hashlib
from collections import Counter
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import transaction

KEPT = (
    ("moderation.SigningSecret", "ciphertext"),
    ("moderation.NotificationChoices", "chat_address"),
    ("moderation.DeskSettings", "translation_key"),
    ("integrations.Integration", "credentials"),
    ("integrations.Integration", "webhook_secret"),
    ("mfa.Authenticator", "data"),
)
"""Columns of secrets that stay; stored answers to repeated requests are gone after a day."""


class MissingKey(Exception):
    """Production has no encryption key, or not the one that a text was encrypted with."""


def encrypt(plain: str) -> str:
    """Return the text encrypted (Fernet: AES-128-CBC with HMAC-SHA256). Raises MissingKey."""
    return _keys().encrypt(plain.encode()).decode()


def decrypt(ciphertext: str) -> str:
    """Return what was encrypted. Raises MissingKey."""
    try:
        return _keys().decrypt(ciphertext.encode()).decode()
    # Also a secret that was encrypted with a key since taken out of the settings: only the operator can mend
    # that.
    except InvalidToken:
        raise MissingKey("None of SPAMDESK_ENCRYPTION_KEYS decrypts this.") from None


def renew() -> dict[str, Counter[str]]:
    """Encrypt all kept secrets with the first key, one in a transaction; return by column how many were
    renewed, and how many no key reads.
    """
    counts: dict[str, Counter[str]] = {}
    for name, column in KEPT:
        rows = apps.get_model(name)._default_manager.exclude(**{column: ""})  # noqa: SLF001 - documented
        count = counts[f"{name}.{column}"] = Counter(renewed=0, unreadable=0)
        for pk in list(rows.values_list("pk", flat=True)):
            with transaction.atomic():
                for row in rows.select_for_update().filter(pk=pk):
                    count.update([_renewed(row, column)])
    return counts


def _renewed(row: Any, column: str) -> str:
    try:
        kept = getattr(row, column)
        if isinstance(kept, dict):  # an app's secret, or what recovery codes are made of
            kept |= {name: encrypt(decrypt(kept[name])) for name in ("secret", "seed") if name in kept}
        setattr(row, column, kept if isinstance(kept, dict) else encrypt(decrypt(kept)))
    except MissingKey:
        return "unreadable"
    row.save(update_fields=[column])
    return "renewed"


def _keys() -> MultiFernet:
    keys = settings.ENCRYPTION_KEYS
    if not keys and settings.IS_PRODUCTION:
        raise MissingKey("SPAMDESK_ENCRYPTION_KEYS is not set: nothing can be encrypted or signed.")
    return MultiFernet([Fernet(key) for key in keys or (_key_of_the_demo(),)])


def _key_of_the_demo() -> str:
    """Derive a key from the secret key in demo mode, so that the demonstration needs no set-up."""
    return base64.urlsafe_b64encode(hashlib.sha256(settings.SECRET_KEY.encode()).digest()).decode()
