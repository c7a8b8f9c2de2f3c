"""Template tags of the desk: inert rendering of hostile strings, quantities in words."""

import functools
import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import BoundField
from django.forms.utils import flatatt
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from moderation.evidence import addresses
from moderation.models import Rule, User, network_names
from moderation.models.campaigns import TieKind
from moderation.models.rules import RuleKind
from moderation.queries.cases.case_pages import read_link
from moderation.web import quantities
from moderation.web.cases import queue_position
from moderation.web.posts import translation
from moderation.web.quantities import counted
from moderation.web.text import inert as text_inert
from moderation.web.text.text_marks import Segment

register = template.Library()
for _words in (quantities.band, quantities.day, quantities.duration, quantities.percent, quantities.since):
    register.filter(_words)
register.filter(quantities.tenths)
register.filter(queue_position.reason_words)
register.filter(queue_position.place_words)
register.filter(translation.is_foreign)
register.filter(addresses.is_sent)
register.filter("network_words", network_names.words)
register.filter("counted", quantities.count)
register.filter("authors", lambda number: counted(number, "author", "authors"))
register.filter("domains", lambda number: counted(number, "domain", "domains"))

# Names, ids and notes are short by the API's rules; a longer one here is an attack on the layout.
_LONGEST_NAME = 2_000
# The letters of config/formats: Django's own formatting takes ten times as long.
_STRFTIME = str.maketrans({letter: f"%{letter}" for letter in "YmdH"} | {"i": "%M"})


@register.simple_tag
def inert(text: object, length: int = 0) -> str:
    """Render a hostile string as escaped segments; with a length, only its beginning on one line."""
    text = "" if text is None else str(text)
    if length:
        return printed(text_inert.line(text, length=length))
    return printed(text_inert.segments(text[:_LONGEST_NAME]))


@register.filter
def isolated(name: object, length: int = 40) -> str:
    """Show the beginning of a name within words: whatever it is written in, these keep their order."""
    return format_html("<bdi>{}</bdi>", inert(name, length))


@register.simple_tag(name="inert_text")
def text_with_links(text: str, length: int = 0) -> str:
    """Render a hostile text or URL on one line, links defanged and their real domains marked.

    With a length only its beginning, many hidden characters as one mark.
    """
    if not length:
        shown = text_inert.excerpt(text, length=_LONGEST_NAME)
        return printed(text_inert.segments(shown, read_link=read_link))
    return printed(text_inert.line(text, length=length, read_link=read_link))


@register.simple_tag
def printed(segments: list[Segment]) -> str:
    """Render segments with no space between; plain ones without markup."""
    return SafeString("".join(escape(part.text) if part.is_plain else _marked(part) for part in segments))


@register.inclusion_tag("_input.html")
def field(
    label: str, name: str, value: object = None, *, look: str = "", errors: object = (), **attributes: object
) -> dict[str, object]:
    """Show a labelled field of one line, which may look `inline` or `wide`; the rest are its attributes."""
    shown = {"name": name, "value": None if value == "" else value, "autocomplete": "off", **attributes}
    return {"label": label, "look": look, "errors": errors, "attributes": flatatt(shown)}


@register.inclusion_tag("settings/_field.html")
def setting(field: BoundField, sentence: str = "", more: str = "") -> dict[str, object]:
    """Show a setting with a sentence about it, and what only some want to read."""
    return {"field": field, "sentence": sentence, "more": more}


@register.inclusion_tag("_select.html")
def select(
    label: str, name: str, choices: Iterable[tuple[object, str]], chosen: object, *, is_inline: bool = False
) -> dict[str, object]:
    """Show a labelled list to choose one value from."""
    return {"label": label, "name": name, "choices": choices, "chosen": chosen, "is_inline": is_inline}


@register.simple_block_tag(takes_context=True)
def confirm(
    context: template.Context,
    content: str,
    name: str,
    key: object,
    title: str,
    address: str,
    act: str,
    *,
    opens: str = "",
) -> str:
    """Ask in a dialog before a form is sent to the address of this name and key.

    The content explains, and may hold fields. With `opens`, a button of these words stands before it.
    """
    asked = {
        "name": f"{name}-{key}",
        "title": title,
        "content": content,
        "action": reverse(address, args=[key]),
        "act": act,
        "opens": opens,
        "csrf_token": context.get("csrf_token"),
    }
    return render_to_string("_confirm.html", asked)


@register.simple_tag
@functools.lru_cache(maxsize=10_000)
def to(page: str, key: object) -> str:
    """Return the address of a page about one thing, remembered: `url` takes as long as three cells."""
    return reverse(page, args=[key])


@register.simple_tag
def tab(words: str, name: str, here: str) -> str:
    """Link to the page of this name among those of a section; `here` names the one that is shown."""
    mark = {"href": reverse(name), "aria-current": "page" if name == here else None}
    return format_html("<a{}>{}</a>", flatatt(mark), words)


@register.simple_tag
def columns(*heads: str) -> str:
    """Show heads of a table's columns."""
    return format_html_join("\n", '<th scope="col">{}</th>', ((head,) for head in heads))


@register.simple_tag
def number_columns(*heads: str) -> str:
    """Show heads of columns of numbers."""
    return format_html_join(
        "\n", '<th scope="col" class="table__number">{}</th>', ((head,) for head in heads)
    )


@register.simple_tag
def hidden_column(head: str) -> str:
    """Show the head of a column that is only heard."""
    return format_html('<th scope="col"><span class="only-heard">{}</span></th>', head)


@register.filter
def label_for(rule: Rule, user: User) -> str:
    """Return what a rule is about; an address as the user may read it."""
    if rule.kind != RuleKind.ADDRESS:
        return rule.label
    return network_names.words(user.address_shown(rule.value)) or _("hidden")


@register.filter
def leaning(probability: float) -> str:
    """Return spam or ham, whichever the probability is nearer to."""
    return "spam" if probability >= 0.5 else "ham"


@register.filter
def ago(moment: datetime, at: datetime) -> str:
    """Return how long before `at` a moment was, as a phrase."""
    return _("%(time)s ago") % {"time": quantities.since(moment, at)}


@register.filter
def moment(value: datetime) -> str:
    """Return a moment as the reader's language writes it, to the minute."""
    form = formats.get_format("SHORT_DATETIME_FORMAT").translate(_STRFTIME)
    return _by_the_clock(timezone.localtime(value).strftime(form))


@register.simple_tag
def time(value: datetime, words: str, title: str = "") -> str:
    """Show words for a moment, which an attribute holds exactly, perhaps with a title."""
    titled = format_html(' title="{}"', title) if title else ""
    exactly = timezone.localtime(value).isoformat()
    return format_html('<time datetime="{}"{}>{}</time>', exactly, titled, words)


@register.filter
def exact(value: datetime) -> str:
    """Return a moment to the second, in the order in which it sorts."""
    return _by_the_clock(f"{timezone.localtime(value):%Y-%m-%d %H:%M:%S}")


@register.filter
def clock(value: datetime) -> str:
    """Return a moment's hour and minute as the reader's language writes them."""
    return _by_the_clock(formats.time_format(timezone.localtime(value), "TIME_FORMAT"))


@register.simple_tag
def time_zone() -> str:
    """Return the name of the zone that times are in, "Europe/Berlin"."""
    return str(timezone.get_current_timezone()).replace("_", " ")


@register.filter
def video_time(milliseconds: int) -> str:
    """Return a place in a video as players show it, "1:02" or "1:00:02"."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@register.filter
def counted_or_dash(number: float | None) -> str:
    """Return a number with its groups set apart, a dash where there is none."""
    return quantities.count(number) if number else SafeString('<span class="soft">\N{EN DASH}</span>')


@register.filter
def shared_trait(tie: str) -> str:
    """Return the word for what a post shares with its campaign."""
    return {
        TieKind.TEXT: pgettext("shared", "text"),
        TieKind.LINK: pgettext("shared", "link"),
        TieKind.DOMAIN: pgettext("shared", "domain"),
        TieKind.NETWORK: pgettext("shared", "network"),
        TieKind.AUTHOR: pgettext("shared", "author"),
        TieKind.PICTURE: pgettext("shared", "picture"),
        TieKind.MEANING: pgettext("shared", "meaning"),
    }[TieKind(tie)]


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
    """Return the key of an action as printed on keyboards."""
    return keys[action].upper()


@register.filter
def as_json(value: object) -> str:
    """Return a value as JSON, for an attribute that a script reads."""
    return json.dumps(value, cls=DjangoJSONEncoder)


@register.filter
def named(names: Mapping[int, object] | str, key: int | None) -> object:
    """Return what a mapping holds for an id, None where it holds nothing."""
    return names.get(key) if isinstance(names, Mapping) and key is not None else None


@register.filter
def title_of(titles: Mapping[str, str], code: str) -> str:
    """Return the words of a code, the code itself where there are none."""
    return titles.get(code, code)


def _by_the_clock(words: str) -> str:
    """Name UTC; a reader's own clock needs no name."""
    return f"{words} UTC" if str(timezone.get_current_timezone()) == "UTC" else words


def _marked(part: Segment) -> str:
    title = f' title="{escape(part.title)}"' if part.title else ""
    label = f'<span class="mark__label">{escape(part.label)}</span>' if part.label else ""
    return f'<span class="{part.classes}"{title}>{escape(part.text)}{label}</span>'
