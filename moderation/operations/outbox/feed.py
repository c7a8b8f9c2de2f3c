"""Assign feed positions to committed entries, and keep messages about one post in order.

Positions are assigned after commit, by one sequencer at a time, so no entry can appear behind a reader's
cursor. It is a single statement: a client stopped in the middle holds no lock, and readers never wait for a
sequencer. See docs/adr/0013-numbers-after-commit.md.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Max, QuerySet

from moderation.models import Decision, FeedEntry, FeedHead, Platform
from moderation.models.feed import Stream
from moderation.operations.infrastructure import transactions
from moderation.queries.decisions import feeds
from moderation.queries.decisions.feeds import Page, Position

BATCH = 1_000
"""Entries per statement: more than the largest page."""
_BATCHES_AT_ONCE = 20

SETTLE = timedelta(seconds=2)
"""Decisions made at nearly the same time are numbered in the order of their effect.

If this delay is too short nothing is lost: an entry only comes later in the order.
"""


def read(
    *,
    platform: Platform,
    stream: Stream,
    since: datetime | None = None,
    cursor: Position | None = None,
    limit: int,
    at: datetime,
) -> Page:
    """Number due entries, then return a page of a feed."""
    number(platform_id=platform.pk, stream=stream, at=at)
    return feeds.page(platform=platform, stream=stream, since=since, cursor=cursor, limit=limit)


def number(*, platform_id: int, stream: Stream, at: datetime, limit: int = BATCH) -> int:
    """Number due entries, in the order of their effect; return how many.

    None if another sequencer is running. Entries locked by an undo are left out.
    """
    values: dict[str, Any] = {
        "platform": platform_id,
        "stream": stream.value,
        "at": at,
        "before": at - SETTLE,
        "limit": limit,
    }
    count, has_head = _run(values)
    if not has_head:
        head = FeedHead(platform_id=platform_id, stream=stream)
        FeedHead.objects.bulk_create([head], ignore_conflicts=True)
        count, _ = _run(values)
    return count


def sweep(*, at: datetime) -> int:
    """Number due entries in every feed, also if nobody polls; return how many."""
    entries = FeedEntry.objects.filter(number__isnull=True, due_at__lte=at - SETTLE)
    total = 0
    for platform_id, stream in entries.order_by().values_list("platform", "stream").distinct():
        for _ in range(_BATCHES_AT_ONCE):
            count = number(platform_id=platform_id, stream=Stream(stream), at=at)
            total += count
            if count < BATCH:
                break
    return total


def put_in_order(decisions: Sequence[Decision], *, replaced: Sequence[int]) -> None:
    """Delay decisions so that none takes effect before an earlier, still unsent one on the same post.

    Replaced decisions become due now, with their replacement. Call with the posts locked, before saving.
    """
    if replaced:
        start = min(decision.effective_at for decision in decisions)
        _untold(replaced).filter(due_at__gt=start).update(due_at=start)
    due_times = _due([decision.post_id for decision in decisions])
    for decision in decisions:
        decision.effective_at = max(
            decision.effective_at, due_times.get(decision.post_id, decision.effective_at)
        )


@transactions.required
def take_away(decisions: Sequence[Decision]) -> bool:
    """Remove decisions from the feed; return whether none of them had been numbered.

    Call inside the transaction that undoes them, and roll it back where this is False.
    """
    entries = FeedEntry.objects.filter(decision__in=decisions, stream=Stream.DECISIONS)
    _untold([decision.pk for decision in decisions]).delete()
    return not entries.exists()


@transactions.required
def enter_again(decisions: Sequence[Decision], *, at: datetime) -> None:
    """Let decisions enter the feed once more, since something of them changed that readers need to know."""
    entries = FeedEntry.objects.filter(decision__in=decisions, stream=Stream.DECISIONS)
    entries.filter(number__isnull=False).update(number=None, entered_at=None, due_at=at)


def _due(post_ids: Sequence[int]) -> dict[int, datetime]:
    """Return when the last unsent decision takes effect, by post."""
    entries = FeedEntry.objects.filter(
        decision__post__in=post_ids, stream=Stream.DECISIONS, number__isnull=True
    )
    latest = entries.order_by().values("decision__post").annotate(last=Max("due_at"))
    return dict(latest.values_list("decision__post", "last"))


def _untold(decision_ids: Sequence[int]) -> QuerySet[FeedEntry]:
    return FeedEntry.objects.filter(decision__in=decision_ids, stream=Stream.DECISIONS, number__isnull=True)


def _run(values: dict[str, Any]) -> tuple[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(_NUMBER, values)
        count, has_head = cursor.fetchone()
    return count, has_head


_NUMBER = """
WITH head AS MATERIALIZED (
    -- Locked only where there is something to number: an idle poll writes nothing.
    SELECT h.id, h.number, h.entered_at FROM moderation_feedhead h
    WHERE h.platform_id = %(platform)s AND h.stream = %(stream)s AND EXISTS (
        SELECT FROM moderation_feedentry e
        WHERE e.platform_id = %(platform)s AND e.stream = %(stream)s AND e.number IS NULL
          AND e.due_at <= %(before)s)
    FOR UPDATE SKIP LOCKED
), due AS MATERIALIZED (
    SELECT e.due_at, e.decision_id, e.is_retraction FROM moderation_feedentry e
    WHERE e.platform_id = %(platform)s AND e.stream = %(stream)s AND e.number IS NULL
      AND e.due_at <= %(before)s AND EXISTS (SELECT FROM head)
    ORDER BY e.due_at, e.decision_id, e.is_retraction LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), placed AS (
    SELECT decision_id, is_retraction,
           row_number() OVER (ORDER BY due_at, decision_id, is_retraction) AS place FROM due
), entered AS (
    UPDATE moderation_feedentry e
    SET number = head.number + placed.place, entered_at = greatest(head.entered_at, %(at)s)
    FROM placed, head WHERE (e.decision_id, e.stream, e.is_retraction)
      = (placed.decision_id, %(stream)s, placed.is_retraction) RETURNING 1
), moved AS (
    -- Joined with `head`, so that the row is locked before it is changed: the other way round it is skipped.
    UPDATE moderation_feedhead h
    SET number = h.number + (SELECT count(*) FROM due), entered_at = greatest(h.entered_at, %(at)s)
    FROM head WHERE h.id = head.id AND EXISTS (SELECT FROM due)
)
SELECT (SELECT count(*) FROM entered),
       EXISTS (SELECT FROM moderation_feedhead h
               WHERE h.platform_id = %(platform)s AND h.stream = %(stream)s)
"""
