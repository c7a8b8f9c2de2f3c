"""The wrapping of every cursor: encoding, decoding, and its OpenAPI schema.

The content belongs to `cursor` and `keyset`, and may change: clients return cursors unchanged.
"""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.queries import keyset

MAX_CURSOR_LENGTH = 200
"""The longest that is given out, of a delivery, has 108 characters."""

INVALID_CURSOR = "Must be the next_cursor of an earlier answer."
CURSOR_HELP = (
    "The next_cursor of an earlier answer, as it is. Anything else is refused with 422 invalid_cursor."
)
CURSOR_SCHEMA = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": MAX_CURSOR_LENGTH}


def unpack(cursor: str) -> bytes:
    """Return the content. Raises ValueError if it is malformed."""
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise ValueError("not a cursor")
    return keyset.unpack(cursor)


@extend_schema_field(CURSOR_SCHEMA)
class NextCursorField(serializers.CharField):
    """Where to go on."""
