"""Quantities in words: durations, shares, counts and the band of a probability."""

from __future__ import annotations

from datetime import datetime

# Upper bounds with the words that people read as such odds; the number always stands beside them.
_BANDS: tuple[tuple[float, str], ...] = (
    (0.05, "Almost certainly not spam"),
    (0.20, "Probably not spam"),
    (0.45, "Leaning not spam"),
    (0.55, "Even odds"),
    (0.80, "Leaning spam"),
    (0.95, "Probably spam"),
)
_CERTAIN = "Almost certainly spam"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_STEPS: tuple[tuple[float, str], ...] = (
    (365.25 * _DAY, "year"),
    (30.44 * _DAY, "month"),
    (_DAY, "day"),
    (_HOUR, "hour"),
    (_MINUTE, "minute"),
)


def band(spam_probability: float) -> str:
    """Return the words for a calibrated spam probability."""
    return next((words for below, words in _BANDS if spam_probability < below), _CERTAIN)


def percent(share: float) -> str:
    """Return a share as whole per cent; never 0% or 100% for what is not exactly that."""
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1:
        return ">99%"
    return f"{share * 100:.0f}%"


def count(number: float) -> str:
    """Return a count with thin groups; fractions keep one digit."""
    return f"{number:,.0f}" if float(number).is_integer() or abs(number) >= 100 else f"{number:,.1f}"


def counted(number: float, one: str, many: str) -> str:
    """Return a count with its noun: "1 post", "12 posts"."""
    return f"{count(number)} {one if number == 1 else many}"


def duration(seconds: float) -> str:
    """Return a duration in its largest unit, whole: "3 hours"; below a minute "40 s", below 10 s "1.4 s"."""
    for length, name in _STEPS:
        if seconds >= length:
            return counted(int(seconds // length), name, name + "s")
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def short_duration(seconds: float) -> str:
    """Return a duration for a narrow column: "3 h", "12 min", "2 d"."""
    for length, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= length:
            return f"{int(seconds // length)} {name}"
    return f"{max(0, int(seconds))} s"


def since(moment: datetime, *, at: datetime) -> str:
    """Return how long ago something was, in a narrow form."""
    return short_duration((at - moment).total_seconds())
