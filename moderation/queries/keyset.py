"""Keyset pagination: rows in a total order, and a cursor that holds the sort key of the last row shown.

A cursor is a position, not a permission: access is checked again for each page. Feeds, whose cursors stay
valid for ever, have a format of their own (`moderation.api.serializers.cursors`) in the same wrapping.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet

from moderation.models import User

Row = TypeVar("Row")
Shown = TypeVar("Shown")
Key = tuple[Any, ...]
"""A sort key: numbers, text, instants and UUIDs."""

SHOWN = 30  # rows of a list: more than one screen, and each row more costs half a millisecond
_SHAPE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_LARGEST_ID = 2**63 - 1
_LARGEST_FLOAT = 1e12


class InvalidCursor(ValueError):
    """A cursor that no page gave out."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the sort key of the last one if more follow."""

    rows: tuple[Row, ...]
    end: Key | None

    @property
    def next_cursor(self) -> str:
        """The cursor that continues after these rows, "" at the end."""
        return "" if self.end is None else encode(self.end)

    def of(self, shown: Callable[[Sequence[Row]], Iterable[Shown]]) -> "Page[Shown]":
        """Return the same page with converted rows."""
        return Page(tuple(shown(self.rows)), self.end)


def page(
    rows: QuerySet[Any, Row], *, order: Sequence[str], after: Key | None = None, limit: int
) -> Page[Row]:
    """Read the rows after a sort key, in one query.

    `order` names fields as `order_by` does, and is total: its last field is unique. Rows have these fields,
    or are dicts of them.
    """
    if after is not None:
        rows = beyond(rows, order=order, after=after)
    # One more than is shown tells whether a page follows, without counting.
    batch = tuple(rows.order_by(*order)[: limit + 1])
    return Page(batch[:limit], key_of(batch[limit - 1], order=order) if len(batch) > limit else None)


def beyond(rows: QuerySet[Any, Row], *, order: Sequence[str], after: Key) -> QuerySet[Any, Row]:
    """Keep the rows after a sort key."""
    fields = [(name.removeprefix("-"), "lt" if name.startswith("-") else "gt") for name in order]
    later = Q()
    for (name, side), value in reversed(list(zip(fields, after, strict=True))):
        later = Q(**{f"{name}__{side}": value}) | (Q(**{name: value}) & later if later else Q())
    first, side = fields[0]
    # The plain bound lets an index start at the key; the OR alone would scan from the beginning.
    return rows.filter(later, **{f"{first}__{side}e": after[0]})


def newest_of_users(
    rows: QuerySet[Any, Row], *, user: str, order: Sequence[str], after: Key | None, limit: int
) -> QuerySet[Any, Row]:
    """Keep the rows of the next page whose field `user` is set, and a few more.

    Each user's own are the beginning of an index; a walk from the newest would read all that the filter did
    while nobody was at work.
    """
    later = rows if after is None else beyond(rows, order=order, after=after)
    own = later.filter(**{user: OuterRef("pk")}).order_by(*order).values("pk")[: limit + 1]
    found = User.objects.order_by().values_list(ArraySubquery(own), flat=True)
    return rows.filter(pk__in=[pk for each in found for pk in each])


def key_of(row: Any, *, order: Sequence[str]) -> Key:
    """Return the sort key of a row."""
    names = [name.removeprefix("-") for name in order]
    return tuple(row[name] if isinstance(row, dict) else getattr(row, name) for name in names)


def encode(key: Key) -> str:
    """Return a sort key as text for a URL."""
    return pack(json.dumps([_plain(part) for part in key]).encode())


def after(cursor: str, *kinds: type) -> Key | None:
    """Return the sort key after which a page begins, None for the first one. Raises InvalidCursor."""
    return decode(cursor, *kinds) if cursor else None


def decode(cursor: str, *kinds: type) -> Key:
    """Parse a sort key of these kinds. Raises InvalidCursor."""
    try:
        parts = json.loads(unpack(cursor))
        return tuple(_part(part, kind) for part, kind in zip(parts, kinds, strict=True))
    # A forged cursor can hold any JSON: dates of the year 0, numbers without end, arrays ten thousand deep.
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidCursor("This page does not exist.") from None


def pack(inside: bytes) -> str:
    """Return a cursor for a URL."""
    return base64.urlsafe_b64encode(inside).decode().rstrip("=")


def unpack(cursor: str) -> bytes:
    """Return the content of a cursor. Raises ValueError if it is malformed."""
    if not _SHAPE.fullmatch(cursor):
        raise ValueError("not a cursor")
    try:
        # Cursors go without padding, since "=" is escaped in addresses; Python's decoder wants it back.
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except binascii.Error:
        raise ValueError("not base64") from None


def _plain(part: Any) -> float | str | bool:
    if isinstance(part, datetime):
        return part.isoformat()
    return str(part) if isinstance(part, UUID) else part


def _part(part: Any, kind: type) -> Any:
    if kind in (datetime, UUID):
        return _instant(part) if kind is datetime else UUID(str(part))
    # A bool is an int in Python: True would pass for the id 1.
    if isinstance(part, bool) is not (kind is bool):
        raise TypeError("another kind")
    if not isinstance(part, (int, float) if kind is float else kind):
        raise TypeError("another kind")
    if isinstance(part, int) and not 0 <= part <= _LARGEST_ID:
        raise ValueError("no id")
    # "not <", so that NaN is refused: json.loads reads it, and it is never larger than a bound.
    if isinstance(part, float) and not abs(part) < _LARGEST_FLOAT:
        raise ValueError("no number of ours")
    # PostgreSQL takes no NUL; a lone surrogate, which it does not take either, fails in `encode`.
    if isinstance(part, str) and "\0" in part.encode().decode():
        raise ValueError("no text of ours")
    return part


def _instant(written: str) -> datetime:
    instant = datetime.fromisoformat(written)
    if instant.tzinfo is None:
        raise ValueError("no offset")
    return instant.astimezone(UTC)
