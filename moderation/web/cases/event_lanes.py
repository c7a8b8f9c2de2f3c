"""Lanes of events on one logarithmic time axis, which shows the last minutes and the last year at once."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from moderation.queries.cases.case_context import LIMIT, Event, Lane
from moderation.web.quantities import count, short_duration

LANE_HEIGHT = 26
_WORDS_HEIGHT = 18
_MARGIN_PERCENT = 1.0
_TICK_PERCENT = 10.0
_TICKS = (
    timedelta(minutes=5),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
    timedelta(days=7),
    timedelta(days=30),
    timedelta(days=365),
)
_SHORTEST = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Mark:
    """An event: `x` in per cent from the left, `tone` is "", spam (upwards) or ham (downwards).

    `words` say when it was and what was decided.
    """

    x: float
    words: str
    tone: str
    is_this: bool
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the axis, `x` in per cent from the left, with its words."""

    x: float
    words: str


@dataclass(frozen=True, slots=True)
class DrawnLane:
    """A lane at a height `y`, with its name and its count in words."""

    name: str
    subject: str
    told: str
    y: int
    marks: tuple[Mark, ...]

    @property
    def top(self) -> int:
        """The upper edge of the part that reacts to the pointer."""
        return self.y - LANE_HEIGHT // 2

    @property
    def bottom(self) -> int:
        """The lower edge."""
        return self.y + LANE_HEIGHT // 2


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that the template draws."""

    lanes: tuple[DrawnLane, ...]
    ticks: tuple[Tick, ...]
    axis: int
    height: int


def picture(lanes: Sequence[Lane], *, at: datetime) -> Picture:
    """Place every event between the oldest one, on the left, and now, on the right."""
    oldest = min((event.at for lane in lanes for event in lane.events), default=at)
    span = max(at - oldest, _SHORTEST)
    pictures = tuple(_drawn(lane, index, span=span, at=at) for index, lane in enumerate(lanes))
    axis = len(pictures) * LANE_HEIGHT
    return Picture(lanes=pictures, ticks=tuple(_ticks(span)), axis=axis, height=axis + _WORDS_HEIGHT)


def _ticks(span: timedelta) -> Iterator[Tick]:
    """Yield the ticks from the right, without those whose words would lie over others."""
    last = 100.0 + _TICK_PERCENT
    for ago in _TICKS:
        x = _x(ago, span)
        if ago < span and last - x >= _TICK_PERCENT:
            last = x
            yield Tick(x, short_duration(ago.total_seconds()))


def _drawn(lane: Lane, index: int, *, span: timedelta, at: datetime) -> DrawnLane:
    y = index * LANE_HEIGHT + LANE_HEIGHT // 2
    return DrawnLane(
        name=_names()[lane.name],
        subject=lane.subject,
        told=_told(lane, at=at),
        y=y,
        marks=tuple(_mark(event, _x(at - event.at, span), y, at=at) for event in lane.events),
    )


def _mark(event: Event, x: float, y: int, *, at: datetime) -> Mark:
    tone = {"spam": "spam", "not_spam": "ham"}.get(event.verdict, "")
    # Up for spam, down for not spam: colour must not be the only signal.
    up, down = {"spam": (10, 0), "ham": (0, 10)}.get(tone, (5, 5))
    return Mark(
        x=x, words=_words(event, at=at), tone=tone, is_this=event.is_this, top=y - up, bottom=y + down
    )


def _words(event: Event, *, at: datetime) -> str:
    ago = _("%(ago)s ago") % {"ago": short_duration((at - event.at).total_seconds())}
    verdict = {"spam": _("spam"), "not_spam": _("not spam")}.get(event.verdict, "")
    this = _("this post") if event.is_this else ""
    return ", ".join(filter(None, (this, ago, verdict)))


def _x(ago: timedelta, span: timedelta) -> float:
    """Return the x position, in per cent: the axis is log(1 + minutes)."""
    minutes, most = max(0.0, ago.total_seconds() / 60), span.total_seconds() / 60
    share = math.log1p(minutes) / math.log1p(most)
    return round(_MARGIN_PERCENT + (1 - share) * (100 - 2 * _MARGIN_PERCENT), 2)


def _names() -> dict[str, str]:
    return {
        "posts": _("Posts by this author"),
        "complaints": _("Complaints"),
        "decisions": _("Decisions"),
        "domains": _("Other posts, same domains"),
        "network": _("Other posts, same IP range"),
    }


def _told(lane: Lane, *, at: datetime) -> str:
    if not lane.events:
        return _("none")
    number = f"{LIMIT}+" if lane.is_cut else count(len(lane.events))
    latest = max(event.at for event in lane.events)
    ago = short_duration((at - latest).total_seconds())
    words = _("%(number)s, latest %(ago)s ago") % {"number": number, "ago": ago}
    verdicts = Counter(event.verdict for event in lane.events)
    if verdicts["spam"] or verdicts["not_spam"]:
        counts = {"spam": verdicts["spam"], "not_spam": verdicts["not_spam"]}
        words = f"{words}; {_('%(spam)s spam, %(not_spam)s not') % counts}"
    return words
