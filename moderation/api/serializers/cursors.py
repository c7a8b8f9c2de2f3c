"""Pages in queries and answers: their cursors, which clients return unchanged, and their length.

A cursor is a position, not a right: the key decides what may be read. Those of feeds stay valid for ever.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.fields import InstantField
from moderation.api.serializers.strict import StrictSerializer
from moderation.queries import keyset
from moderation.queries.decisions.feeds import Position

MAX_CURSOR_LENGTH = 200
"""The longest that is given out, of a delivery, has 108 characters."""

CURSOR_SCHEMA = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": MAX_CURSOR_LENGTH}
DEFAULT_LIMIT = 100
MAX_LIMIT = 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FEED_SHAPE = re.compile(rb"f1:(\d{1,17}):(\d{1,18})")


@extend_schema_field(CURSOR_SCHEMA)
class NextCursorField(serializers.CharField):
    """Where to go on: the end of a page, or of what was read of a feed."""

    def to_representation(self, value: Any) -> str:
        return _feed_cursor(value) if isinstance(value, Position) else keyset.encode(value)


def _feed_cursor(position: Position) -> str:
    """Return a position in a feed as text for a URL, exact to the microsecond."""
    microseconds = (position.entered_at - _EPOCH) // timedelta(microseconds=1)
    return keyset.pack(f"f1:{microseconds}:{position.number}".encode())


@extend_schema_field(CURSOR_SCHEMA)
class _CursorField(serializers.Field[Any, str, str, Any]):
    """A cursor that an earlier answer gave."""

    default_error_messages = {"invalid_cursor": "Must be the next_cursor of an earlier answer."}

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            **options,
            help_text="The next_cursor of an earlier answer, as it is. Anything else is refused with 422 "
            "invalid_cursor.",
        )

    def to_internal_value(self, data: str) -> Any:
        """Return the position."""
        try:
            if len(data) <= MAX_CURSOR_LENGTH:
                return self.position(data)
        except ValueError:
            pass
        return self.fail("invalid_cursor")

    def position(self, cursor: str) -> Any:
        """Read a cursor. Raises ValueError for what we never gave out."""
        raise NotImplementedError


class KeysetField(_CursorField):
    """The cursor of a page: a sort key, of parts of these kinds, `after` which the page begins."""

    def __init__(self, *kinds: type) -> None:
        super().__init__(source="after")
        self._kinds = kinds

    def position(self, cursor: str) -> tuple[Any, ...]:
        return keyset.decode(cursor, *self._kinds)


class FeedCursorField(_CursorField):
    """The cursor of a feed."""

    def position(self, cursor: str) -> Position:
        parts = _FEED_SHAPE.fullmatch(keyset.unpack(cursor))
        if parts is None:
            raise ValueError("not a position")
        return Position(_EPOCH + timedelta(microseconds=int(parts[1])), int(parts[2]))


class PageQuerySerializer(StrictSerializer):
    """Which page is asked for; a view's own serializer adds the cursor of its order."""

    # In a query every number arrives as text.
    limit = serializers.IntegerField(
        min_value=1,
        max_value=MAX_LIMIT,
        required=False,
        default=DEFAULT_LIMIT,
        error_messages={"invalid": "Must be a whole number."},
    )


class FeedQuerySerializer(PageQuerySerializer):
    """From where to read a feed."""

    since = InstantField(
        required=False,
        help_text="Only what has this `entered_at` or a later one. Yours of last time, not your clock.",
    )
    cursor = FeedCursorField()


class IdPageQuerySerializer(PageQuerySerializer):
    """Which page of rows in the order of their ids is asked for."""

    cursor = KeysetField(int)
