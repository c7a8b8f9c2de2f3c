"""Prepared statements for every request: the database parses and plans each once per connection.

Django interpolates parameters on the client, so that the database sees a new statement every time: that was
half of its time for storing a post.
"""

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


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
    return (
        connection.make_debug_cursor(server) if connection.queries_logged else connection.make_cursor(server)
    )
