"""Estimated shares in words: with one digit after the point, an interval, and never without labels."""

from django.utils import formats
from django.utils.translation import gettext, ngettext

from moderation.models import QualityFigure
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.web import quantities


def share(value: float) -> str:
    """Return a share in per cent."""
    return gettext("{}%").format(formats.number_format(value * 100, 1, use_l10n=True))


def interval(low: float, high: float) -> str:
    """Return the ends of an interval."""
    return gettext("{low} to {high}").format(low=share(low), high=share(high))


def labels(number: int) -> str:
    """Return how many labels there are."""
    words = ngettext("{} label", "{} labels", number)
    return words.format(quantities.count(number))


def more(number: int | None) -> str:
    """Return how many more labels make an interval narrow; empty where it is."""
    if number is None:
        return ""
    return gettext("too wide to steer by: for ±30% about {labels} more").format(labels=labels(number))


def counted(part: int, whole: int) -> str:
    """Return a part of counted things: as a share only if there are enough of them."""
    of = gettext("{part} of {whole}").format(part=quantities.count(part), whole=quantities.count(whole))
    return f"{share(part / whole)} ({of})" if whole >= FEWEST_SHOWN else of


def estimate(value: float | None, low: float, high: float, number: int) -> str:
    """Return an estimate with its interval and its labels, or why it is not known."""
    if value is None and number >= FEWEST_SHOWN:
        return gettext("Not known: a route lacks labels")
    if value is None:
        return gettext("Not enough labels ({number} of {fewest})").format(
            number=quantities.count(number), fewest=FEWEST_SHOWN
        )
    return f"{share(value)} ({interval(low, high)}; {labels(number)})"


def weighted(figure: QualityFigure) -> str:
    """Return the estimate from all labels that count."""
    return estimate(figure.value, figure.low, figure.high, figure.labels)


def uniform(figure: QualityFigure) -> str:
    """Return the estimate from the uniformly drawn labels alone."""
    return estimate(figure.uniform_value, figure.uniform_low, figure.uniform_high, figure.uniform_labels)
