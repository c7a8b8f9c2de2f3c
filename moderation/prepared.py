"""Prepared statements for every request: the database parses and plans each once per connection; and COPY.

Django interpolates parameters on the client, so that the database sees a new statement every time: that was
half of its time for storing a post. Plans are made for any values (`plan_cache_mode` in config/database.py).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import JSONField, Model
from psycopg.adapt import PyFormat
from psycopg.types.array import BaseListDumper, ListDumper
from psycopg.types.json import Jsonb

_IDS = "SELECT nextval(pg_get_serial_sequence(%(table)s, 'id')) FROM generate_series(1, %(count)s)"


class _Array(ListDumper):
    """Dumps a list whose type the statement says: told by its values, an empty list, or one of small numbers,
    would be of another type, and so make another statement.
    """

    def upgrade(self, obj: list[Any], format: PyFormat) -> BaseListDumper:  # noqa: A002 - psycopg's name
        dumper = super().upgrade(obj, format)
        dumper.oid = 0
        return dumper


def rows(sql: str, **values: Any) -> list[Any]:
    """Return what a statement returns; it is prepared from its fifth use on."""
    with _cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def run(sql: str, **values: Any) -> None:
    """Run a statement that returns nothing; it is prepared from its fifth use on."""
    with _cursor() as cursor:
        cursor.execute(sql, values)


def save(new_rows: Sequence[Model], *, learns_ids: bool = False) -> None:
    """Save new rows of one table by COPY; `learns_ids` costs a statement where they have no ids yet.

    The ORM takes as long to write out a score as the models to judge it.
    """
    if not new_rows:
        return
    meta = new_rows[0]._meta  # noqa: SLF001 - documented
    if learns_ids:
        for row, (pk,) in zip(new_rows, rows(_IDS, table=meta.db_table, count=len(new_rows)), strict=True):
            row.pk = pk
    fields = [field for field in meta.concrete_fields if not field.primary_key or new_rows[0].pk]
    names, json = [field.attname for field in fields], {f.attname for f in fields if isinstance(f, JSONField)}
    values = (
        [Jsonb(v) if (v := row.__dict__[name]) is not None and name in json else v for name in names]
        for row in new_rows
    )
    copy(f"{meta.db_table} ({', '.join(names)})", values)


def copy(into: str, values: Iterable[Sequence[Any]]) -> None:
    """Insert values into a table and its columns: COPY writes less of the log than INSERT does."""
    statement: Any = f"COPY {into} FROM STDIN"
    # Django wraps the errors of execute and fetch alone.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copying:
        for row in values:
            copying.write_row(row)


def _cursor() -> CursorWrapper:
    """Make a cursor as `connection.cursor()` does, but with server-side parameter binding."""
    connection.ensure_connection()
    server: Any = psycopg.Cursor(connection.connection)
    server.adapters.register_dumper(list, _Array)
    return (
        connection.make_debug_cursor(server) if connection.queries_logged else connection.make_cursor(server)
    )
