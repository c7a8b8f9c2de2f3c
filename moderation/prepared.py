"""Prepared statements for every request: the database parses and plans each once per connection.

Django interpolates parameters on the client, so that the database sees a new statement every time: that was
half of its time for storing a post. Plans are made for any values (`plan_cache_mode` in config/database.py).
"""

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.adapt import PyFormat
from psycopg.types.array import BaseListDumper, ListDumper


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


def _cursor() -> CursorWrapper:
    """Make a cursor as `connection.cursor()` does, but with server-side parameter binding."""
    connection.ensure_connection()
    server: Any = psycopg.Cursor(connection.connection)
    server.adapters.register_dumper(list, _Array)
    return (
        connection.make_debug_cursor(server) if connection.queries_logged else connection.make_cursor(server)
    )
