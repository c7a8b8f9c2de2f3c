"""Keyset pages in queries."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.cursor_format import (
    CURSOR_HELP,
    CURSOR_SCHEMA,
    INVALID_CURSOR,
    MAX_CURSOR_LENGTH,
)
from moderation.api.serializers.strict import StrictSerializer
from moderation.queries import keyset
from moderation.queries.keyset import InvalidCursor

DEFAULT_LIMIT = 100
MAX_LIMIT = 500


@extend_schema_field(CURSOR_SCHEMA)
class KeysetField(serializers.Field[Any, str, str, Any]):
    """A cursor that an earlier answer gave, of parts of these kinds."""

    default_error_messages = {"invalid_cursor": INVALID_CURSOR}

    def __init__(self, *, kinds: tuple[type, ...], **kwargs: Any) -> None:
        super().__init__(help_text=CURSOR_HELP, **kwargs)
        self._kinds = kinds

    def to_internal_value(self, data: str) -> tuple[Any, ...]:
        """Return the sort key."""
        if len(data) > MAX_CURSOR_LENGTH:
            self.fail("invalid_cursor")
        try:
            return keyset.decode(data, *self._kinds)
        except InvalidCursor:
            self.fail("invalid_cursor")


class LimitField(serializers.IntegerField):
    """How many rows at most; in a query every number arrives as text."""

    default_error_messages = {"invalid": "Must be a whole number."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_LIMIT, required=False, default=DEFAULT_LIMIT, **kwargs)


class PageQuerySerializer(StrictSerializer):
    """Which page is asked for; a view's own serializer adds the cursor of its order."""

    limit = LimitField()


class IdPageQuerySerializer(PageQuerySerializer):
    """Which page of rows in the order of their ids is asked for."""

    cursor = KeysetField(kinds=(int,), required=False)
