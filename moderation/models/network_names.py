"""Names that moderators read in place of IP addresses and ranges, where the settings of the desk say so."""

import re

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

_LONGEST = 43  # characters of an IPv6 range; all are filled up to it, so that a name tells no length
_NAME = re.compile("(address|network)-([0-9a-f]{118})")


def name_of(address: str) -> str:
    """Return the name of an address or range, the same on every page.

    AES-SIV (RFC 5297) makes it: 32 digits of a keyed digest, then the address encrypted, so that links by
    name lead back, and only with the installation's key.
    """
    kind = "network" if "/" in address else "address"
    return f"{kind}-{_cipher().encrypt(address.ljust(_LONGEST).encode(), None).hex()}"


def address_of(text: str) -> str | None:
    """Return the address or range that has this name, "" for a made-up one; None for any other text."""
    name = _NAME.fullmatch(text)
    try:
        return name and _cipher().decrypt(bytes.fromhex(name[2]), None).decode().rstrip()
    except InvalidTag:
        return ""


def words(text: str) -> str:
    """Return a name in short, "network 3f9a1c2b04"; every other text unchanged."""
    name = _NAME.fullmatch(text)
    if name is None:
        return text
    kind = _("network %(digits)s") if name[1] == "network" else _("address %(digits)s")
    return kind % {"digits": name[2][:10]}


def _cipher() -> AESSIV:
    return AESSIV(salted_hmac("network names", "", algorithm="sha256").digest())
