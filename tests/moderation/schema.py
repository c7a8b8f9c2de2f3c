"""What a schema of PostgreSQL holds, so that two can be compared."""

from __future__ import annotations

import re

from django.db import connection

_DESCRIBED = """
SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
    a.attidentity::text, coalesce(pg_get_expr(d.adbin, d.adrelid), '')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind IN ('r', 'p')
UNION ALL
SELECT 'index', tablename, '', indexdef, '', '', ''
FROM pg_indexes WHERE schemaname = %(schema)s
UNION ALL
SELECT 'constraint', conrelid::regclass::text, '', pg_get_constraintdef(oid), contype::text,
    convalidated::text, ''
FROM pg_constraint WHERE connamespace = to_regnamespace(%(schema)s) AND contype <> 'n'
UNION ALL
SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), '', '', ''
FROM pg_trigger WHERE NOT tgisinternal
    AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace(%(schema)s))
UNION ALL
SELECT 'function', proname, '', prosrc, '', '', ''
FROM pg_proc WHERE pronamespace = to_regnamespace(%(schema)s)
"""
_MADE_UP = re.compile(r"\b\w+_(?:[0-9a-f]{8}(?:_\w+)?|key|pkey|not_null|id_seq)\b")


def described(schema: str) -> set[tuple[str, ...]]:
    """Return columns, indexes, constraints, triggers, functions; names that Django made up are left out.

    A renamed field keeps the name that Django gave its index or foreign key. The record of what ran is
    in one schema only.
    """
    with connection.cursor() as cursor:
        cursor.execute(_DESCRIBED, {"schema": schema})
        rows = [tuple(value.replace(f"{schema}.", "") for value in row) for row in cursor.fetchall()]
    ours = [row for row in rows if row[1] != "django_migrations"]
    return {tuple(_MADE_UP.sub("made_up", value) for value in row) for row in ours}
