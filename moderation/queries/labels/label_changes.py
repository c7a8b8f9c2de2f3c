"""Changes of labels between two positions of their feeds, as lines of an export: labels and tombstones.

Positions are assigned after commit (docs/adr/0013), so increments miss no concurrent write, and every
retracted label of an earlier file has a tombstone in a later one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from django.db import connection
from django.db.models import QuerySet

from moderation.models import FeedEntry, FeedHead
from moderation.models.feed import Stream
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels import label_json, label_lines
from moderation.queries.labels.label_lines import CHUNK, LabelLine
from moderation.queries.labels.labels import LabelFilter

_HEADS: LiteralString = """
SELECT e.entered_at, e.number, e.is_retraction, d.id, f.slug || '/' || p.external_id || '/' || r.number
FROM moderation_feedentry e
JOIN moderation_decision d ON d.id = e.decision_id
JOIN moderation_revision r ON r.id = d.revision_id
JOIN moderation_post p ON p.id = d.post_id
JOIN moderation_platform f ON f.id = p.platform_id
WHERE e.platform_id = %(platform)s AND e.stream = 'labels' AND e.number IS NOT NULL
  AND (e.entered_at, e.number) > (%(entered_at)s, %(number)s)
  AND (e.entered_at, e.number) <= (%(until)s, %(last)s)
ORDER BY e.entered_at, e.number LIMIT %(chunk)s
"""


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of one platform's feed of labels: after a position, up to another."""

    platform_id: int
    after: Position | None
    until: Position


def positions(*, platform_id: int | None) -> dict[str, Position]:
    """Return the last positions of the feeds of labels, by platform."""
    heads = _heads(platform_id)
    return {
        head.platform.slug: Position(head.entered_at, head.number)
        for head in heads.select_related("platform").order_by("platform__slug")
        if head.entered_at is not None
    }


def count(*, wanted: LabelFilter) -> int:
    """Return how many changes there are, all splits together."""
    spans = _spans(wanted, until=positions(platform_id=wanted.platform_id))
    return sum(
        FeedEntry.objects.filter(
            platform=span.platform_id,
            stream=Stream.LABELS,
            number__gt=span.after.number if span.after else 0,
            number__lte=span.until.number,
        ).count()
        for span in spans
    )


def lines(
    *,
    wanted: LabelFilter,
    until: Mapping[str, Position],
    has_weights: bool = True,
    has_addresses: bool = True,
    pause: Callable[[], None] | None = None,
) -> Iterator[LabelLine]:
    """Yield changes after `wanted.after` and up to `until`, platform by platform in the feed's order.

    A label that was retracted since is left out: its tombstone follows, here or in a later increment.
    Tombstones are in every split, since an erased label's split is unknown.
    """
    for span in _spans(wanted, until=until):
        for chunk in _chunks(span):
            named = [row[3] for row in chunk if not row[2]]
            live = label_lines.live(named, has_weights=has_weights, has_addresses=has_addresses)
            for _, _, is_retraction, decision_id, name in chunk:
                if is_retraction:
                    yield _tombstone(name, decision_id=decision_id, has_weights=has_weights)
                elif (label := live.get(decision_id)) and (not wanted.splits or label.split in wanted.splits):
                    yield label
            if pause is not None:
                pause()


def _heads(platform_id: int | None) -> QuerySet[FeedHead]:
    heads = FeedHead.objects.filter(stream=Stream.LABELS)
    return heads if platform_id is None else heads.filter(platform=platform_id)


def _spans(wanted: LabelFilter, *, until: Mapping[str, Position]) -> list[_Span]:
    after = wanted.after or {}
    heads = _heads(wanted.platform_id).values_list("platform__slug", "platform_id")
    return [_Span(platform_id, after.get(slug), until[slug]) for slug, platform_id in heads if slug in until]


def _chunks(span: _Span) -> Iterator[list[tuple[Any, ...]]]:
    values = {
        "platform": span.platform_id,
        "entered_at": span.after.entered_at if span.after else "-infinity",
        "number": span.after.number if span.after else 0,
        "until": span.until.entered_at,
        "last": span.until.number,
        "chunk": CHUNK,
    }
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_HEADS, values)
            rows = cursor.fetchall()
        if rows:
            yield rows
            values["entered_at"], values["number"] = rows[-1][:2]
        # Each chunk is a statement of its own: one cursor held open over a slow download would keep vacuum
        # away.
        if len(rows) < CHUNK:
            return


def _tombstone(name: str, *, decision_id: int, has_weights: bool) -> LabelLine:
    """Return the tombstone of a retracted label: `label` is null, only ids are left."""
    return LabelLine(
        line=label_json.tombstone(name, decision_id=decision_id, has_weights=has_weights),
        decision_id=decision_id,
        is_spam=False,
        split="",
        release="",
        decided_at="",
        is_retraction=True,
    )
