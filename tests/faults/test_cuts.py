"""Every process of a whole product works again soon after its database was away."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

import httpx
import pytest

from config import schedule
from tests.faults.lines import line_to
from tests.faults.stand import WHOLE_PRODUCT, Stand, post, standing

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]

PROMISED_SECONDS = 5
SENDERS = {queue for own in schedule.WORKERS.values() for queue in own} | {"beat", "web"}


class Cut(Stand):
    """The product with PostgreSQL at the end of a line, and the broker of the tests."""

    database = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return it with those."""
        servers = {"DATABASE_URL": self.database, "CELERY_BROKER_URL": os.environ["CELERY_BROKER_URL"]}
        return super().environment | servers

    def takes(self, external_id: str) -> bool:
        """Send a post; return whether it was taken."""
        with self.api() as api:
            return api.post("/posts", json=post(external_id)).status_code == httpx.codes.ACCEPTED


def test_each_process_works_within_seconds(empty_server: dict[str, str], broker: None) -> None:
    with line_to(empty_server["DATABASE_URL"]) as line:

        def make(state: Path) -> Cut:
            stand = Cut(state)
            stand.database = line.instead_of(empty_server["DATABASE_URL"])
            return stand

        with standing(make, name="cuts") as stand:
            for seconds in (20, 75, 145):
                stand.wait_until(stand.is_ready, "ready")
                with line.cut():
                    time.sleep(seconds)
                look(stand)


def look(stand: Cut) -> None:
    """Fail where a process does not write to the database soon, or a post is not scored."""
    [(back_at,)] = stand.rows("SELECT clock_timestamp()")
    sent = f"cut-{uuid.uuid4().hex}"

    def seen() -> set[str]:
        found = stand.rows("SELECT sender FROM moderation_heartbeat WHERE at > %s", back_at)
        return {row[0] for row in found}

    stand.wait_until(lambda: seen() == SENDERS, "all work", patience_seconds=PROMISED_SECONDS)
    stand.wait_until(lambda: stand.takes(sent), "taken", patience_seconds=PROMISED_SECONDS)
    stand.wait_until(lambda: stand.scored([sent]) == 1, "scored", patience_seconds=PROMISED_SECONDS)
