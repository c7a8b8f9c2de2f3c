"""What the pages of an author, a domain and an address have in common: figures, history, posts, rules.

The history is three rows of bars on one axis: positions only, the stylesheet sets colours.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from moderation.queries import search
from moderation.queries.entities.addresses import AddressFacts
from moderation.queries.entities.authors import AuthorFacts
from moderation.queries.entities.domains import DomainFacts
from moderation.queries.entities.timeline import Event, Timeline
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.rules.rules import RuleForm

BINS = 96
HEIGHT = 40
_POSTS = 25
_TONES = ("spam", "ham", "")
_SHORTEST = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One rectangle, in the units of the drawing; `tone` is spam, ham or "" where nothing was judged."""

    x: int
    y: float
    height: float
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of bars."""

    name: str
    count: int
    spam: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The rows, and the instants that the axis is marked with."""

    lanes: tuple[Lane, ...]
    ticks: tuple[datetime, ...]
    is_partial: bool


def chart(timeline: Timeline, *, at: datetime) -> Chart | None:
    """Draw a timeline that ends now; None where nothing happened."""
    if not timeline.events:
        return None
    start = min(timeline.events[0].at, at - _SHORTEST)
    span = at - start
    lanes = (
        (_("Posts"), ("post",)),
        (_("Complaints"), ("complaint",)),
        (_("Decisions"), ("decision", "automatic")),
    )
    return Chart(
        lanes=tuple(
            _lane(name, [event for event in timeline.events if event.kind in kinds], start=start, span=span)
            for name, kinds in lanes
        ),
        ticks=tuple(start + span * part / 4 for part in range(5)),
        is_partial=timeline.is_partial,
    )


def _lane(name: str, events: list[Event], *, start: datetime, span: timedelta) -> Lane:
    bins: Counter[tuple[int, str]] = Counter()
    for event in events:
        place = min(BINS - 1, max(0, int((event.at - start) / span * BINS)))
        bins[place, event.tone] += 1
    totals: Counter[int] = Counter()
    for (place, _tone), count in bins.items():
        totals[place] += count
    tallest = max(totals.values(), default=1)
    return Lane(
        name=name,
        count=len(events),
        spam=sum(event.tone == "spam" for event in events),
        bars=tuple(
            bar
            for place in sorted(totals)
            for bar in stacked(
                place * 10,
                {tone: bins[place, tone] for tone in _TONES},
                scale=HEIGHT / tallest,
                least=4.0,
            )
        ),
    )


def stacked(x: int, counts: Mapping[str, int], *, scale: float, least: float) -> Iterator[Bar]:
    """Stack the tones of a step from the ground; one event among many stays visible."""
    ground = float(HEIGHT)
    for tone, count in counts.items():
        if count:
            height = min(ground, max(least, count * scale))
            ground -= height
            yield Bar(x=x, y=round(ground, 1), height=round(height, 1), tone=tone)


def page(
    request: access.DeskRequest,
    template: str,
    context: Mapping[str, object],
    *,
    facts: AuthorFacts | DomainFacts | AddressFacts,
    wanted: PostFilter,
    at: datetime,
) -> HttpResponse:
    """Render the page with its posts; `context` is what only this page has."""
    cursor = request.GET.get("cursor", "")
    posts = search.posts(wanted=wanted, viewer=request.user, cursor=cursor, limit=_POSTS)
    shared: dict[str, object] = {
        "at": at,
        "facts": facts,
        "target": facts.target,
        "figures": facts.figures,
        "chart": chart(facts.timeline, at=at),
        "rules": facts.rules,
        "live_rule": facts.live_rule,
        "form": RuleForm(),
        "page": posts,
        "query": "",
    }
    return render(request, template, {**shared, **context})
