"""Columns whose values have other names in code than in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _Text = models.CharField[str, str]  # generic in the stubs alone
else:
    _Text = models.CharField

STORED = {"hold": "wave"}
"""Names in the table of values that were renamed. The release before knows only these, and reads and writes
the same rows while an upgrade goes on and after going back. A later release may rename them in a migration.
"""

_NAMES = {stored: name for name, stored in STORED.items()}


def name_of(value: str) -> str:
    """Return what a value is called in code, which may be what it already is."""
    return _NAMES.get(value, value)


class RenamedValueField(_Text):
    """A CharField that writes the values in STORED under their names in the table. SQL by hand sees those."""

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        """Return the value's name in code."""
        return value if value is None else name_of(value)

    def get_prep_value(self, value: Any) -> Any:
        """Return the value's name in the table."""
        prepared = super().get_prep_value(value)
        return STORED.get(prepared, prepared)

    def deconstruct(self) -> Any:
        """Be a CharField in migrations, which go by what is in the table."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.CharField", arguments, options
