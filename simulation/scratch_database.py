"""A database beside the product's, always empty, for what must neither see nor disturb the product."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import ProgrammingError, connection
from django.db.backends.postgresql.base import DatabaseWrapper


@contextmanager
def used() -> Iterator[str]:
    """Put the default connection on a migrated database beside the product's, and yield its name.

    The product's own posts would be history to the simulated ones, and its workers would wait for our locks.
    It is kept, so roll back what you write; of a killed process the server does. Raises CommandError.
    """
    product = connection.settings_dict["NAME"]
    scratch = f"{product}_simulation"
    try:
        _prepare(scratch)
        yield scratch
    finally:
        _turn_to(product)


def _prepare(scratch: str) -> None:
    """Turn to a database with the product's tables, made if it is not there. Raises CommandError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, EXISTS (SELECT FROM pg_database WHERE datname = %s)", [scratch])
        user, is_there = cursor.fetchone()
    name, owner = map(connection.ops.quote_name, (scratch, user))
    sql = f"CREATE DATABASE {name} OWNER {owner} ENCODING 'UTF8' TEMPLATE template0"
    try:
        if not is_there:
            with connection.cursor() as cursor:
                cursor.execute(sql)
        _turn_to(scratch)
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_database()")
            [place] = cursor.fetchone()
        if place != scratch:
            raise CommandError(f"The simulation would write to {place}, not {scratch}.")
        call_command("migrate", verbosity=0, interactive=False)
    except ProgrammingError as refusal:  # not allowed, or made by another role or another state of the code
        raise CommandError(
            "The simulation needs a database of its own. Let somebody who may run"
            f" DROP DATABASE IF EXISTS {name}; {sql};  ({refusal})"
        ) from refusal


def _turn_to(database: str) -> None:
    """Let new connections use another database: the pool outlives `close`."""
    connection.close()
    cast("DatabaseWrapper", connection).close_pool()
    connection.settings_dict["NAME"] = database
