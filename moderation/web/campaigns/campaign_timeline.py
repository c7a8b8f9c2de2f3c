"""The timeline of a campaign as bars; the template draws them."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from moderation.queries.campaigns.campaign_members import Place
from moderation.queries.campaigns.campaign_pages import CampaignPage

HEIGHT = 60
"""Height of the picture; its width is the number of bars."""

_FEWEST = 24
"""Minimum number of bars, so that the bar of a single instant does not fill the picture."""

_LAYERS: tuple[tuple[str, frozenset[Place]], ...] = (
    ("spam", frozenset({Place.SPAM, Place.REMOVED})),
    ("ham", frozenset({Place.NOT_SPAM, Place.ALLOWED})),
    ("rest", frozenset({Place.LEFT_OUT, Place.PENDING})),
    ("waiting", frozenset({Place.WAITING, Place.ESCALATED, Place.BLIND})),
)
"""Order of the stacked blocks, from the bottom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One rectangle: all posts of one kind in one stretch of time."""

    x: int
    y: float
    height: float
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Blocks, the number of bars and the ends of the axis."""

    blocks: tuple[Block, ...]
    bars: int
    highest: int
    begin: datetime
    end: datetime


def timeline(page: CampaignPage) -> Timeline | None:
    """Return the bars of a campaign; None where there is nothing to draw."""
    if not page.times:
        return None
    bars = max(_FEWEST, 1 + max(round((start - page.begin) / page.step) for start in page.times))
    highest = max(sum(counts.values()) for counts in page.times.values())
    blocks = [
        block
        for start, counts in sorted(page.times.items())
        for block in _bar(round((start - page.begin) / page.step), counts, highest=highest)
    ]
    return Timeline(
        blocks=tuple(blocks),
        bars=bars,
        highest=highest,
        begin=page.begin,
        end=page.begin + bars * page.step,
    )


def _bar(x: int, counted: Counter[Place], *, highest: int) -> list[Block]:
    blocks, top = [], float(HEIGHT)
    for layer, places in _LAYERS:
        height = sum(counted[place] for place in places) * HEIGHT / highest
        if height:
            top -= height
            blocks.append(Block(x=x, y=round(top, 2), height=round(height, 2), layer=layer))
    return blocks
