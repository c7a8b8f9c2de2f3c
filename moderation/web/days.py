"""Days and moments as people choose them, by the clock of the reader."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# The day before the first and the day after the last have no instants in any time zone.
_YEARS = range(2, 9999)
LENGTHS = (("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")))
"""How long something holds, or looks back, as a choice of a number of days."""


class DayField(forms.DateField):
    """A day, or a moment in ISO 8601; one at the edge of the calendar, which has no instant, is invalid."""

    def to_python(self, value: Any) -> date | None:
        """Return the day, or the moment, with its offset. Raises ValidationError."""
        chosen = _moment(value) or super().to_python(value)
        if chosen is not None and chosen.year not in _YEARS:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return chosen


def end(number: str, *, at: datetime) -> datetime | None:
    """Return the end of a chosen number of days from now on, None without one."""
    return at + timedelta(days=int(number)) if number else None


def window(since: date | None, until: date | None) -> tuple[datetime | None, datetime | None]:
    """Return the instants [since, until) of a DayField's values; None is open.

    Both days are included; a moment is itself the bound.
    """
    return (
        since if since is None or isinstance(since, datetime) else start(since),
        until if until is None or isinstance(until, datetime) else start(until + timedelta(days=1)),
    )


def start(day: date) -> datetime:
    """Return when a day begins where the reader is."""
    return datetime.combine(day, time.min, timezone.get_current_timezone())


def _moment(value: Any) -> datetime | None:
    """Return what a field for moments, or a link, says; None for anything else."""
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.get_current_timezone())
