"""Rules as a platform sees them: all that are in force, and what they reach among its own posts."""

from __future__ import annotations

from datetime import datetime

from moderation.models import Ban, Platform
from moderation.queries import bans, figures
from moderation.queries.blocklist import live
from moderation.queries.figures import Figures


def page(*, kind: str, is_live: bool, after: int | None, limit: int, at: datetime) -> tuple[list[Ban], bool]:
    """Return rules, the newest first, and whether there are more."""
    rows = Ban.objects.filter(live(at=at)) if is_live else Ban.objects.exclude(live(at=at))
    if kind:
        rows = rows.filter(kind=kind)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    found = list(rows.order_by("-id")[: limit + 1])
    return found[:limit], len(found) > limit


def reach(ban: Ban, *, platform: Platform, at: datetime) -> Figures:
    """Count what a rule reaches among a platform's posts."""
    return figures.of(bans.reached(bans.target_of(ban)).filter(post__platform=platform), at=at)
