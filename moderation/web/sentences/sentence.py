"""How a feature's value is said; the families beside this file hold the words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from moderation.web.quantities import count, duration, percent


@dataclass(frozen=True, slots=True)
class Sentence:
    """How a feature is said: for a value, for zero where that reads differently, for an unknown value."""

    says: Callable[[float], str]
    zero: str = ""
    unknown: str = "Unknown"

    def of(self, value: float) -> str:
        """Return the sentence for a value; NaN means unknown."""
        if math.isnan(value):
            return gettext(self.unknown)
        return gettext(self.zero) if value == 0 and self.zero else self.says(value)


def things(one: str, many: str, tail: str = "") -> Callable[[float], str]:
    """Say a count with its noun, then the rest of the sentence; translated as a whole."""
    singular, plural = f"{{}} {one}{tail}", f"{{}} {many}{tail}"
    return lambda value: ngettext(singular, plural, 1 if value == 1 else 2).format(count(value))


def share(text: str) -> Callable[[float], str]:
    """Say a share as per cent."""
    return lambda value: gettext(text).format(percent(value))


def days(text: str) -> Callable[[float], str]:
    """Say a number of days as a duration."""
    return lambda value: gettext(text).format(duration(value * 86_400))


def hours(text: str) -> Callable[[float], str]:
    """Say a number of hours as a duration."""
    return lambda value: gettext(text).format(duration(value * 3_600))


def seconds(text: str) -> Callable[[float], str]:
    """Say a number of seconds as a duration."""
    return lambda value: gettext(text).format(duration(value))


def number(text: str) -> Callable[[float], str]:
    """Say a bare number."""
    return lambda value: gettext(text).format(count(value))


def flag(text: str) -> Callable[[float], str]:
    """Say that something is so; what is said when it is not stands in `zero`."""
    return lambda _: gettext(text)
