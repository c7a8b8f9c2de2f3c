"""Quantities in words: durations, shares, counts, the band of a probability and where it leads."""

from datetime import datetime
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from moderation.models.scores import RouteChoice

# Upper bounds with words for such odds; the number is always shown beside them.
_BANDS = (
    (0.05, _("Almost certainly not spam")),
    (0.20, _("Probably not spam")),
    (0.45, _("Leaning not spam")),
    (0.55, _("Even odds")),
    (0.80, _("Leaning spam")),
    (0.95, _("Probably spam")),
)
_CERTAIN = _("Almost certainly spam")
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_STEPS: tuple[tuple[float, Any], ...] = (
    (365.25 * _DAY, ngettext_lazy("%(n)d year", "%(n)d years", "n")),
    (30.44 * _DAY, ngettext_lazy("%(n)d month", "%(n)d months", "n")),
    (_DAY, ngettext_lazy("%(n)d day", "%(n)d days", "n")),
    (_HOUR, ngettext_lazy("%(n)d hour", "%(n)d hours", "n")),
    (_MINUTE, ngettext_lazy("%(n)d minute", "%(n)d minutes", "n")),
)


def band(spam_probability: float) -> str:
    """Return the words for a calibrated spam probability."""
    return str(next((words for below, words in _BANDS if spam_probability < below), _CERTAIN))


def route(value: str) -> str:
    """Return where a score sends a post in words; a value of another release as it is."""
    routes = {
        RouteChoice.ALLOW.value: gettext("let through"),
        RouteChoice.REVIEW.value: gettext("review"),
        RouteChoice.REMOVE.value: gettext("removed"),
    }
    return routes.get(value, value)


def percent(share: float) -> str:
    """Return a share as whole per cent; 0% and 100% only if exact."""
    if 0 < share < 0.01:
        return gettext("<{}%").format(1)
    if 0.99 < share < 1:
        return gettext(">{}%").format(99)
    return gettext("{}%").format(f"{share * 100:.0f}")


def tenths(share: float) -> str:
    """Return a share in per cent with one decimal, for thresholds and shares near 0 or 1."""
    return gettext("{}%").format(_written(share * 100, digits=1))


def count(number: float) -> str:
    """Return a count with thin group separators; fractions keep one digit and are never rounded to 0."""
    if isinstance(number, int) and 0 <= number < 1000:
        return str(number)
    if 0 < number < 0.05:
        return f"<{_written(0.1, digits=1)}"
    number = number if abs(number) >= 0.05 else 0.0
    return _written(number, digits=0 if float(number).is_integer() or abs(number) >= 100 else 1)


def counted(number: float, one: str, many: str) -> str:
    """Return a count with its noun, translated: "1 post", "12 posts"."""
    return ngettext(f"{{}} {one}", f"{{}} {many}", 1 if number == 1 else 2).format(count(number))


def duration(seconds: float) -> str:
    """Return a duration in its largest unit, whole: "3 hours"; below a minute "40 s", below 10 s "1.4 s"."""
    for length, words in _STEPS:
        if seconds >= length:
            return str(words % {"n": int(seconds // length)})
    return f"{_written(max(0.0, seconds), digits=0 if seconds >= 10 else 1)} s"


def short_duration(seconds: float) -> str:
    """Return a duration for a narrow column: "3 h", "12 min", "2 d"."""
    for length, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= length:
            return f"{int(seconds // length)} {name}"
    return f"{max(0, int(seconds))} s"


def day(moment: datetime) -> str:
    """Return the day of a moment as the reader's language writes it."""
    return str(formats.date_format(timezone.localtime(moment), "SHORT_DATE_FORMAT"))


def since(moment: datetime, at: datetime) -> str:
    """Return how long ago something was, in a narrow form."""
    return short_duration((at - moment).total_seconds())


def _written(number: float, *, digits: int) -> str:
    """Format a number in the user's language."""
    return str(
        formats.number_format(round(number, digits), decimal_pos=digits, use_l10n=True, force_grouping=True)
    )
