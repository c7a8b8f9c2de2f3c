"""What does a page of the decisions feed cost behind a million others? Numbering, pages, plans.

make bench ARGS="feed_pages --decisions 1000000"      (starts a database of its own, and leaves it)

Decisions on one made-up post are written by SQL, numbered a thousand at a time as a poll does, and read at
the beginning, in the middle and at the end. Fails where a plan reads all entries. Then a snapshot is held,
as a transaction does that is left open, while more are numbered in small polls.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import django
import psycopg

from lab import _stack

if TYPE_CHECKING:
    from moderation.models import Platform

_TIMES = 20
_POLLED, _MOST_HELD = 100, 60_000
_DECISIONS = """
INSERT INTO moderation_decision (post_id, revision_id, score_id, verdict, source, reason, note, decided_at,
  effective_at)
SELECT r.post_id, r.id, s.id, 'spam', 'automatic', '', '', m.moment, m.moment
FROM (SELECT id, revision_id FROM moderation_score ORDER BY id LIMIT 1) s
JOIN moderation_revision r ON r.id = s.revision_id,
LATERAL (SELECT now() - g * interval '1 second' AS moment FROM generate_series(%s, 1, -1) g) m
"""


def main() -> None:
    """Fill, number, read; exit code 1 where a plan reads all entries."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=1_000_000)
    options = parser.parse_args()
    with _stack.running(name="feed-pages"):
        django.setup()
        problems = _measure(options.decisions)
    if problems:
        sys.exit("Broken: " + "; ".join(problems))


def _measure(decisions: int) -> list[str]:
    from django.db import connection

    from moderation.models import FeedEntry, Platform
    from moderation.models.feed import Stream
    from moderation.operations.accounts import demo
    from moderation.operations.outbox import feed

    platform = Platform.objects.get(slug=demo.PLATFORM_SLUG)
    _one_scored_post(platform)
    missing = decisions - FeedEntry.objects.filter(stream=Stream.DECISIONS).count()
    began = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(_DECISIONS, [max(0, missing)])
        cursor.execute("ANALYZE moderation_decision, moderation_feedentry")
    print(f"{max(0, missing)} decisions written in {time.perf_counter() - began:.1f} s")
    began, numbered, at = time.perf_counter(), 0, datetime.now(UTC) + timedelta(minutes=1)
    while number := feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=at):
        numbered += number
    seconds = time.perf_counter() - began
    print(f"{numbered} numbered in {seconds:.1f} s, {numbered / max(seconds, 1e-9):.0f} a second")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE moderation_feedentry")
    problems = _pages(platform, at=at)
    _beside_an_old_snapshot(platform, decisions=min(decisions, _MOST_HELD), at=at)
    return problems


def _beside_an_old_snapshot(platform: Platform, *, decisions: int, at: datetime) -> None:
    """Number in small polls while a snapshot is held: nothing that it could see is cleared away."""
    from django.db import connection

    from moderation.models.feed import Stream
    from moderation.operations.outbox import feed

    with psycopg.connect(os.environ["DATABASE_URL"]) as holder:
        holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        holder.execute("SELECT count(*) FROM moderation_platform")
        seconds: list[float] = []
        for _ in range(decisions // _POLLED):
            with connection.cursor() as cursor:
                cursor.execute(_DECISIONS, [_POLLED])
            began = time.perf_counter()
            feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=at)
            seconds.append(time.perf_counter() - began)
    first, last = sorted(seconds[:20])[10], sorted(seconds[-20:])[10]
    print(
        f"a snapshot held while {decisions} are numbered, {_POLLED} a poll:"
        f" {1000 * first:.1f} ms a poll at first, {1000 * last:.1f} ms in the end"
    )


def _pages(platform: Platform, *, at: datetime) -> list[str]:
    from moderation.models import FeedEntry
    from moderation.models.feed import Stream
    from moderation.operations.outbox import feed
    from moderation.queries.decisions.feeds import Position

    rows = FeedEntry.objects.filter(platform=platform, stream=Stream.DECISIONS, number__isnull=False)
    count = rows.count()
    problems = []
    for name, place in (("beginning", 1), ("middle", count // 2), ("end", count - 200)):
        entry = rows.get(number=place)
        assert entry.entered_at is not None
        cursor = Position(entry.entered_at, place)

        def read(cursor: Position = cursor) -> None:
            feed.read(platform=platform, stream=Stream.DECISIONS, since=None, cursor=cursor, limit=100, at=at)

        print(f"{name:<12}a page of 100 in {_median_ms(read):.1f} ms")
        plan = _plan(read)
        whole = [line.strip() for line in plan.splitlines() if "Seq Scan on moderation_feedentry" in line]
        problems += [f"{name}: {line}" for line in whole]
    return problems


def _median_ms(act: Callable[[], None]) -> float:
    seconds = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - began)
    return 1000 * sorted(seconds)[_TIMES // 2]


def _plan(act: Callable[[], None]) -> str:
    """Return the plans of the statements that an act sends."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as capture:
        act()
    plans = []
    with connection.cursor() as cursor:
        for query in capture.captured_queries:
            cursor.execute("EXPLAIN " + query["sql"])
            plans += [row[0] for row in cursor.fetchall()]
    return "\n".join(plans)


def _one_scored_post(platform: Platform) -> None:
    """Store one post and a score of it, unless there is one."""
    from django.utils import timezone

    from moderation.models import Release, Revision, Score
    from moderation.operations.posts import ingest
    from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost

    if Score.objects.exists():
        return
    at = timezone.now()
    author = IncomingAuthor(external_id="author")
    post = IncomingPost(external_id=f"post-{at}", text="A post", posted_at=at, author=author)
    [answer] = ingest.store(platform=platform, posts=[post], at=at)
    assert isinstance(answer, ingest.Accepted)
    release, _ = Release.objects.get_or_create(id="f" * 64, defaults={"manifest": {}, "first_used_at": at})
    Score.objects.create(
        revision=Revision.objects.get(pk=answer.revision_id),
        generation=1,
        release=release,
        scored_at=at,
        record={},
        schema_hash="",
        features=[],
        spam_probability=0.99,
        sub_models={},
        base=0.0,
        contributions=[],
        route="remove",
        expected_harm=1.0,
    )


if __name__ == "__main__":
    main()
