"""Whole days in UTC, as people choose them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

# The day before the first and the day after the last have no instants in any time zone.
_YEARS = range(2, 9999)
LENGTHS = (("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")))
"""How long something holds, or looks back, as a choice of a number of days."""


class DayField(forms.DateField):
    """A day whose beginning and end are instants: one at the edge of the calendar is invalid."""

    def to_python(self, value: Any) -> date | None:
        """Return the day. Raises ValidationError."""
        day = super().to_python(value)
        if day is not None and day.year not in _YEARS:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return day


def end(number: str, *, at: datetime) -> datetime | None:
    """Return the end of a chosen number of days from now on, None without one."""
    return at + timedelta(days=int(number)) if number else None


def window(since: date | None, until: date | None) -> tuple[datetime | None, datetime | None]:
    """Return the instants [since, until) of days of a DayField, both days included; None is open."""
    return (
        datetime.combine(since, time.min, UTC) if since else None,
        datetime.combine(until + timedelta(days=1), time.min, UTC) if until else None,
    )
