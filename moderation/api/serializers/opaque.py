"""The outside of every cursor, as the server writes it, reads it and states it in the OpenAPI document.

What is inside belongs to `cursor` and `keyset`, and may change: a client only hands back what it was given.
"""

from __future__ import annotations

import base64
import binascii
import re

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

MAX_CURSOR_LENGTH = 200
"""The longest that is given out, of a delivery, has 108 characters."""

INVALID_CURSOR = "Must be the next_cursor of an earlier answer."
CURSOR_HELP = (
    "The next_cursor of an earlier answer, as it is. Anything else is refused with 422 invalid_cursor."
)
CURSOR_SCHEMA = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": MAX_CURSOR_LENGTH}

_SHAPE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def pack(inside: bytes) -> str:
    """Return a cursor for a URL."""
    return base64.urlsafe_b64encode(inside).decode().rstrip("=")


def unpack(cursor: str) -> bytes:
    """Return what is inside. Raises ValueError for what no cursor looks like."""
    if len(cursor) > MAX_CURSOR_LENGTH or not _SHAPE.fullmatch(cursor):
        raise ValueError("not a cursor")
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except binascii.Error:
        raise ValueError("not base64") from None


@extend_schema_field(CURSOR_SCHEMA)
class NextCursorField(serializers.CharField):
    """Where to go on."""
