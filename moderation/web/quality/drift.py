"""The page Drift: what became more frequent among the posts, and where."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import DriftAlarm, Platform
from moderation.operations.quality import drift
from moderation.queries.quality import drift_pages
from moderation.queries.quality.drift_evidence import FALSE_ALARMS_A_MONTH, GROWTH
from moderation.queries.quality.drift_reference import FEWEST_DAYS
from moderation.queries.quality.drift_traits import BINS, TraitFamily
from moderation.web import access, quantities
from moderation.web.quality import shares
from moderation.web.quality.quality import QualityForm

_FAMILIES = {
    TraitFamily.PROBABILITY: gettext_lazy("Probability or route"),
    TraitFamily.FEATURE: gettext_lazy("Feature"),
    TraitFamily.LANGUAGE: gettext_lazy("Language"),
    TraitFamily.DOMAIN: gettext_lazy("Domain"),
    TraitFamily.WORDS: gettext_lazy("Words"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTrait:
    """A trait in words, where its posts are listed ("" if they are not), and how often it was there."""

    family: str
    words: str
    address: str
    now: str
    before: str
    times: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSlice:
    """A language, domain or route of the alarm's posts, and how many of all posts it has."""

    kind: str
    name: str
    address: str
    posts: int
    all_posts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAlarm:
    """An alarm in words."""

    alarm: DriftAlarm
    title: str
    share: str
    probability: str
    traits: tuple[ShownTrait, ...]
    slices: tuple[ShownSlice, ...]


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the newest alarms, and what posts are compared with."""
    platform, *_rest = QualityForm(request.GET).chosen()
    platform_id = platform.pk if platform else None
    alarms = drift_pages.newest(platform_id=platform_id)
    context = {
        "section": "quality",
        "at": timezone.now(),
        "alarms": [_shown(alarm, may_open=request.user.may_lead) for alarm in alarms],
        "watched": drift_pages.watched(platform_id=platform_id),
        "platforms": [("", _("all platforms")), *Platform.objects.values_list("slug", "name")],
        "platform": platform.slug if platform else "",
        "months": round(1 / FALSE_ALARMS_A_MONTH),
        "growth": quantities.count(GROWTH),
        "fewest": FEWEST_DAYS,
    }
    return render(request, "quality/drift.html", context)


@access.leads.post
def acknowledge(request: access.DeskRequest, alarm_id: int) -> HttpResponse:
    """Note that a lead has seen an alarm."""
    drift.acknowledge(alarm_id=alarm_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Alarm acknowledged."))
    return redirect("drift")


def _shown(alarm: DriftAlarm, *, may_open: bool) -> ShownAlarm:
    since = alarm.seen_at - timedelta(days=1)
    traits = tuple(_trait(trait, since=since, may_open=may_open) for trait in alarm.traits)
    readable = [trait for trait in alarm.traits if trait["family"] in (TraitFamily.DOMAIN, TraitFamily.WORDS)]
    first_traits = readable[:3] or alarm.traits[:1]
    return ShownAlarm(
        alarm=alarm,
        title=", ".join(_words(trait) for trait in first_traits),
        share=shares.counted(alarm.posts, alarm.all_posts),
        probability=shares.share(alarm.mean_probability),
        traits=traits,
        slices=tuple(_slice(part, since=since, may_open=may_open) for part in alarm.slices),
    )


def _trait(one: Mapping[str, Any], *, since: datetime, may_open: bool) -> ShownTrait:
    now, before = one["authors"], one["authors_before"]
    grown = ""
    if before and one["all_authors"] and one["all_authors_before"]:
        times = (now / one["all_authors"]) / (before / one["all_authors_before"])
        grown = quantities.count(times)
    of = _("{part} of {whole}")
    return ShownTrait(
        family=str(_FAMILIES[TraitFamily(one["family"])]),
        words=_words(one),
        address=_address(one["family"], one["trait"], since=since) if may_open else "",
        now=of.format(part=quantities.count(now), whole=quantities.count(one["all_authors"])),
        before=of.format(part=quantities.count(before), whole=quantities.count(one["all_authors_before"])),
        times=_("{} times").format(grown) if grown else _("new"),
    )


def _slice(one: Mapping[str, Any], *, since: datetime, may_open: bool) -> ShownSlice:
    kind, name = one["kind"], one["name"]
    kinds = {"language": _("Language"), "domain": _("Domain"), "route": _("Route")}
    return ShownSlice(
        kind=kinds[kind],
        name=quantities.route(name) if kind == "route" else name or _("not stated"),
        address=_address(kind, name, since=since) if may_open else "",
        posts=one["posts"],
        all_posts=one["all_posts"],
    )


def _address(kind: str, name: str, *, since: datetime) -> str:
    """Return where the posts are listed since then; "" where no filter of the list finds them."""
    query = {
        TraitFamily.WORDS.value: {"q": f'"{name}"' if " " in name else name},
        TraitFamily.DOMAIN.value: {"domain": name},
        TraitFamily.LANGUAGE.value: {"language": name},
    }.get(kind)
    if not query or not name:
        return ""
    return f"{reverse('posts')}?{urlencode(query | {'since': since.isoformat()})}"


def _words(one: Mapping[str, Any]) -> str:
    """Return a trait in words."""
    trait = one["trait"]
    if one["family"] == TraitFamily.PROBABILITY and trait[:1].isdigit():
        low = float(trait)
        return f"{shares.share(low)}\N{EN DASH}{shares.share(low + 1 / BINS)}"
    if one["family"] == TraitFamily.FEATURE:
        name, _equals, size = trait.partition("=")
        return f"{name}: {_size(size)}"
    return trait or _("not stated")


def _size(size: str) -> str:
    """Return a bin of a feature in words."""
    if size == "?":
        return _("unknown")
    sign, caret, power = size.partition("2^")
    if not caret:
        return size
    low, high = 2.0 ** int(power), 2.0 ** (int(power) + 1)
    return _("{low} to {high}").format(low=f"{sign}{low:g}", high=f"{sign}{high:g}")
