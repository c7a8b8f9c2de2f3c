"""Empties the database after a test that commits: deletes the rows, where Django truncates every table.

TRUNCATE makes a new file for each of hundreds of tables and indexes, and Django then writes its content types
and permissions anew. Most tests leave a few rows in a few tables.
"""

from django.db import connection, transaction
from django.test import TransactionTestCase

# Migrations wrote them, and no test changes them.
_KEPT = ("django_content_type", "auth_permission")


def empty(_case: TransactionTestCase) -> None:
    """Delete every row that a test may have committed, once every other transaction that writes has ended."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [connection.ops.quote_name(name) for name in sorted(names) if name not in _KEPT]
    deletions = "; ".join(f"DELETE FROM {table}" for table in tables)
    with transaction.atomic(), connection.cursor() as cursor:
        # A replica's role fires no triggers: neither foreign keys nor the audit log's guard hold a row back.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE")
        cursor.execute(deletions)
