"""Opaque cursors: the sort key of the last row. A position, not a right: the key decides what may be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.opaque import CURSOR_HELP, CURSOR_SCHEMA, INVALID_CURSOR, pack, unpack
from moderation.api.serializers.strict import StrictSerializer

DEFAULT_LIMIT = 100
MAX_LIMIT = 500
_LARGEST_ID = 2**63 - 1

Row = TypeVar("Row")
Key = tuple[float | str | datetime, ...]


def encode(*parts: float | str | datetime) -> str:
    """Return a sort key as text for a URL."""
    plain = [part.isoformat() if isinstance(part, datetime) else part for part in parts]
    return pack(json.dumps(plain).encode())


def page_of(
    rows: Sequence[Row], *, shown: Callable[[Row], dict[str, Any]], has_more: bool, key: Callable[[Row], Key]
) -> dict[str, Any]:
    """Return a page as it is answered: rows as `shown`, and the last one's sort key if more follow."""
    cursor = encode(*key(rows[-1])) if has_more else None
    return {"data": [shown(row) for row in rows], "next_cursor": cursor}


@extend_schema_field(CURSOR_SCHEMA)
class KeysetField(serializers.Field[Any, str, str, Any]):
    """A cursor that an earlier answer gave, of parts of these kinds."""

    default_error_messages = {"invalid_cursor": INVALID_CURSOR}

    def __init__(self, *, kinds: tuple[type, ...], **kwargs: Any) -> None:
        super().__init__(help_text=CURSOR_HELP, **kwargs)
        self._kinds = kinds

    def to_internal_value(self, data: str) -> tuple[Any, ...]:
        """Return the sort key."""
        try:
            parts = json.loads(unpack(data))
            return tuple(_part(part, kind) for part, kind in zip(parts, self._kinds, strict=True))
        except (ValueError, TypeError, RecursionError):
            self.fail("invalid_cursor")


class LimitField(serializers.IntegerField):
    """How many rows at most; in a query every number arrives as text."""

    default_error_messages = {"invalid": "Must be a whole number."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_LIMIT, required=False, default=DEFAULT_LIMIT, **kwargs)


class PageQuerySerializer(StrictSerializer):
    """Which page is asked for; a view's own serializer adds the cursor of its order."""

    limit = LimitField()


def _part(part: Any, kind: type) -> Any:
    if kind is datetime:
        instant = datetime.fromisoformat(part)
        if instant.tzinfo is None:
            raise ValueError("no offset")
        return instant
    if isinstance(part, bool) or not isinstance(part, (int, float) if kind is float else kind):
        raise TypeError("another kind")
    if isinstance(part, int) and not 0 <= part <= _LARGEST_ID:
        raise ValueError("no id")
    if isinstance(part, float) and not abs(part) < 1e12:
        raise ValueError("no priority")
    return part
