"""Encryption at rest for what must be read again: signing secrets, and stored answers that show one.

Keys come from the environment (SPAMDESK_ENCRYPTION_KEYS): the first encrypts, all of them decrypt. To rotate,
put a new key in front and remove the old one once nothing is encrypted with it any more.
"""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


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


def _keys() -> MultiFernet:
    keys = settings.ENCRYPTION_KEYS
    if not keys and settings.IS_PRODUCTION:
        raise MissingKey("SPAMDESK_ENCRYPTION_KEYS is not set: nothing can be encrypted or signed.")
    return MultiFernet([Fernet(key) for key in keys or (_key_of_the_demo(),)])


def _key_of_the_demo() -> str:
    """Derive a key from the secret key in demo mode, so that the demonstration needs no set-up."""
    return base64.urlsafe_b64encode(hashlib.sha256(settings.SECRET_KEY.encode()).digest()).decode()
