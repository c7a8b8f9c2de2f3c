"""Alarms of drift for pages, the API and metrics, and since when posts are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min

from moderation.models import DriftAlarm, DriftBlock
from moderation.queries import keyset
from moderation.queries.keyset import Key, Page
from moderation.queries.quality.drift_reference import BLOCK, FEWEST_DAYS

SHOWN = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A platform's posts are compared with those since `since`; `until` is the end of the last block."""

    platform: str
    since: datetime
    until: datetime
    is_compared: bool


def newest(*, platform_id: int | None) -> Sequence[DriftAlarm]:
    """Return the newest alarms, of one platform or all."""
    alarms = DriftAlarm.objects.select_related("platform", "acknowledged_by")
    if platform_id is not None:
        alarms = alarms.filter(platform=platform_id)
    return list(alarms[:SHOWN])


def unseen() -> int:
    """Count the alarms that nobody acknowledged."""
    return DriftAlarm.objects.filter(acknowledged_at__isnull=True).count()


def watched(*, platform_id: int | None) -> list[Watched]:
    """Say for each platform what its posts are compared with, from rows of the last weeks."""
    blocks = DriftBlock.objects.all()
    if platform_id is not None:
        blocks = blocks.filter(platform=platform_id)
    rows = blocks.order_by("platform__name").values("platform__name")
    counted = rows.annotate(since=Min("starts_at"), until=Max("starts_at"))
    return [
        Watched(
            platform=row["platform__name"],
            since=row["since"],
            until=row["until"] + BLOCK,
            is_compared=row["until"] - row["since"] >= FEWEST_DAYS * 6 * BLOCK,
        )
        for row in counted
    ]


def page(*, platform_id: int, after: Key | None = None, limit: int) -> Page[DriftAlarm]:
    """Return a platform's alarms, the newest first."""
    alarms = DriftAlarm.objects.filter(platform=platform_id)
    return keyset.page(alarms, order=("-raised_at", "-id"), after=after, limit=limit)
