"""A platform that polls its feed, and transactions that stay open meanwhile."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction

from moderation.models import Delivery, Platform, WebhookEndpoint
from moderation.models.feed import Stream
from moderation.operations.outbox import feed
from moderation.operations.webhooks import attempts
from moderation.queries.decisions.feeds import Position


class Poller:
    """Reads a feed by its cursor, as a platform does."""

    def __init__(self, platform: Platform, *, limit: int = 100, stream: Stream = Stream.DECISIONS) -> None:
        self.platform, self.limit, self.stream = platform, limit, stream
        self.cursor: Position | None = None
        self.seen: list[int] = []

    def poll(self, at: datetime) -> list[int]:
        """Read on to the end; return the decisions that were new."""
        new: list[int] = []
        while True:
            page = feed.read(
                platform=self.platform,
                stream=self.stream,
                since=None,
                cursor=self.cursor,
                limit=self.limit,
                at=at,
            )
            new += [entry.decision_id for entry in page.rows]
            self.cursor = page.end
            if not page.has_more:
                self.seen += new
                return new


@contextmanager
def held(act: Callable[[], object]) -> Iterator[None]:
    """Do something in a transaction of another connection, which commits at the end of the block."""
    is_done, may_commit = threading.Event(), threading.Event()

    def run() -> None:
        try:
            with transaction.atomic():
                act()
                is_done.set()
                may_commit.wait(60)
        finally:
            is_done.set()
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        assert is_done.wait(60)
        try:
            yield
        finally:
            may_commit.set()
            running.result(60)


def claimed(platform: Platform, *, at: datetime) -> list[Delivery]:
    """Claim what is due at the platform's endpoint, as a worker does that is stopped before it sends."""
    endpoint = WebhookEndpoint.objects.get(platform=platform)
    return attempts.claim(endpoint_id=endpoint.pk, limit=10, at=at)
