"""The opaque cursor of a feed. It is a position, not a right: the key decides what may be read."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.cursor_format import CURSOR_HELP, CURSOR_SCHEMA, INVALID_CURSOR, unpack
from moderation.queries import keyset
from moderation.queries.decisions.feeds import Position

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SHAPE = re.compile(rb"f1:(\d{1,17}):(\d{1,18})")


def encode(position: Position) -> str:
    """Return the position as text for a URL, exact to the microsecond."""
    microseconds = (position.entered_at - _EPOCH) // timedelta(microseconds=1)
    return keyset.pack(f"f1:{microseconds}:{position.number}".encode())


def decode(cursor: str) -> Position:
    """Read a cursor back. Raises ValueError for what we never gave out."""
    parts = _SHAPE.fullmatch(unpack(cursor))
    if parts is None:
        raise ValueError("not a position")
    return Position(_EPOCH + timedelta(microseconds=int(parts[1])), int(parts[2]))


@extend_schema_field(CURSOR_SCHEMA)
class CursorField(serializers.Field[Position, str, str, Position]):
    """A cursor that an earlier answer gave."""

    default_error_messages = {"invalid_cursor": INVALID_CURSOR}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(help_text=CURSOR_HELP, **kwargs)

    def to_internal_value(self, data: str) -> Position:
        try:
            return decode(data)
        except ValueError:
            self.fail("invalid_cursor")
