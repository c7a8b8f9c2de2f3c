"""System checks of the database, run with migrations: `migrate` refuses an unsafe database."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import Error, Tags, register
from django.db import connections

UNFINISHED = "spamdesk_restore_unfinished"
"""A table that exists while a backup is being restored: later erasures are not applied yet."""


@register(Tags.database)
def restored_to_the_end(*, databases: Sequence[str] | None = None, **_: Any) -> list[Error]:
    """Find an interrupted restore: serving its database would bring erased data back."""
    return [
        Error(
            "A restore into this database was interrupted: what was erased since the backup is in it.",
            hint="Restore the backup again, into a new database.",
            id="spamdesk.E002",
        )
        for alias in databases or ()
        if UNFINISHED in connections[alias].introspection.table_names()
    ]
