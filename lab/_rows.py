"""Rows copied within PostgreSQL. Import with Django set up."""

from django.db import connection
from django.db.models import Model


def copy(model: type[Model], *, first: int, last: int, where: str, **instead: str) -> None:
    """Copy the rows `where` so many times; `instead` is SQL for columns that differ, g counts the copies."""
    meta = model._meta  # noqa: SLF001 - documented under this name
    columns = [str(field.column) for field in meta.concrete_fields if not field.generated]
    expressions = ", ".join(instead.get(column, f't."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{meta.db_table}" ({names}) SELECT {expressions}'
            f' FROM "{meta.db_table}" t, generate_series({first}, {last}) g WHERE {where}'
        )
