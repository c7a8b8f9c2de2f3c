"""Tags of the desk's templates: hostile strings made inert, quantities in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django import template
from django.template.loader import get_template
from django.utils import formats, timezone
from django.utils.html import escape
from django.utils.translation import gettext as _

from moderation.queries.cases.case_pages import read_link
from moderation.web import quantities
from moderation.web.cases import queue_position
from moderation.web.text import inert as text_inert
from moderation.web.text.text_marks import Segment

register = template.Library()
register.filter(queue_position.reason_words)
register.filter(queue_position.place_words)

# Names, ids and notes are short by the API's rules; a longer one here is an attack on the layout.
_LONGEST_NAME = 2_000


@register.simple_tag
def inert(text: object, length: int = 0) -> str:
    """Print a hostile string as segments; with a length, only its beginning on one line."""
    text = "" if text is None else str(text)
    shown = text_inert.excerpt(text, length=length) if length else text[:_LONGEST_NAME]
    return _printed(text_inert.segments(shown))


@register.simple_tag(name="inert_text")
def text_with_links(text: str, length: int = _LONGEST_NAME) -> str:
    """Print a hostile text or URL on one line, its links broken and their real domains set apart."""
    shown = text_inert.excerpt(text, length=length)
    return _printed(text_inert.segments(shown, read_link=read_link))


def _printed(segments: list[Segment]) -> str:
    """Print segments; most names are plain, and a template for each slows long lists."""
    if all(part.is_plain for part in segments):
        return escape("".join(part.text for part in segments))
    return get_template("text/_inert.html").render({"segments": segments})


@register.filter
def percent(share: float) -> str:
    """Return a share in whole per cent."""
    return quantities.percent(share)


@register.filter
def band(spam_probability: float) -> str:
    """Return the words for a probability."""
    return quantities.band(spam_probability)


@register.filter
def since(moment: datetime, at: datetime) -> str:
    """Return how long before `at` a moment was."""
    return quantities.since(moment, at=at)


@register.filter
def ago(moment: datetime, at: datetime) -> str:
    """Return how long before `at` a moment was, as a phrase."""
    return _("%(time)s ago") % {"time": quantities.since(moment, at=at)}


@register.filter
def moment(value: datetime) -> str:
    """Return a moment as the reader's language writes it, to the minute, in UTC."""
    return formats.date_format(timezone.localtime(value), "SHORT_DATETIME_FORMAT")


@register.filter
def clock(value: datetime) -> str:
    """Return a moment's hour and minute as the reader's language writes them, in UTC."""
    return formats.time_format(timezone.localtime(value), "TIME_FORMAT")


@register.filter
def day(value: datetime) -> str:
    """Return a day as the reader's language writes it, in UTC."""
    return quantities.day(value)


@register.filter
def counted(number: float) -> str:
    """Return a number with its groups set apart."""
    return quantities.count(number)


@register.filter
def seconds_after(moment: datetime, at: datetime) -> int:
    """Return the whole seconds from `at` until a moment, at least 0."""
    return max(0, int((moment - at).total_seconds()))


@register.filter
def of_hundred(part: float, whole: float) -> int:
    """Return a part in per cent of the whole, at least 1 where there is any."""
    return max(1, round(part * 100 / whole)) if whole and part else 0


@register.filter
def key_of(keys: Mapping[str, str], action: str) -> str:
    """Return the key of an action as it is printed on keyboards."""
    return keys[action].upper()
