"""What must hold before anybody is served, asked where migrations run: `migrate` refuses otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import Error, Tags, register
from django.db import connections

UNFINISHED = "spamdesk_restore_unfinished"
"""A table that stands while a backup is being restored: what was erased since is not erased again yet."""


@register(Tags.database)
def restored_to_the_end(*, databases: Sequence[str] | None = None, **_: Any) -> list[Error]:
    """Find a restore that was interrupted: serving its database would bring back what was erased."""
    return [
        Error(
            "A restore into this database was interrupted: what was erased since the backup is in it.",
            hint="Restore the backup again, into a new database.",
            id="spamdesk.E001",
        )
        for alias in databases or ()
        if UNFINISHED in connections[alias].introspection.table_names()
    ]
