"""Trials 4, 5 and 12: what was accepted is scored once, whatever broker, workers and Triton do."""

from __future__ import annotations

import os
import signal
import time
import uuid

import httpx
import pytest
from celery import Celery
from kombu import Connection

from tests.faults.kills import traces
from tests.faults.stand import Stand, post

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("product"), pytest.mark.timeout(600)]

WAITING = int(os.environ.get("SPAMDESK_TRIAL_POSTS", "120"))
"""Posts that wait when the broker is wiped."""

MOST_IN_BULK = 5_000


@pytest.mark.gate
def test_a_wiped_broker_leaves_no_post_unscored(stand: Stand) -> None:
    """Trial 4. Promise: what was accepted is scored. PostgreSQL is the truth, the broker only a hint."""
    workers = stand.workers("scoring")
    stand.signal_all(workers, signal.SIGSTOP)
    try:
        posts = [post(f"wiped-{number}") for number in range(WAITING)]
        batches = [posts[start : start + MOST_IN_BULK] for start in range(0, WAITING, MOST_IN_BULK)]
        ids = [external_id for batch in batches for external_id in stand.send(batch)]
        with stand.broker() as broker:
            stand.wait_until(lambda: broker.llen("scoring") > 0, "messages sent")
            broker.flushall()
    finally:
        stand.signal_all(workers, signal.SIGCONT)
    # Half a minute is what the sweep waits before it takes a message for lost.
    stand.rows(
        "UPDATE moderation_scoringjob SET enqueued_at = enqueued_at - interval '1 minute'"
        " WHERE state = 'pending'"
    )

    stand.wait_until(lambda: stand.settled(ids) == WAITING, "all scored", patience_seconds=60 + WAITING / 50)

    assert traces.scored_more_often_than_asked(stand, ids) == 0


def test_a_message_delivered_three_times_scores_once(stand: Stand) -> None:
    """Trial 5. Promise: at-least-once messages, exactly-once effect, also when a run outlives its lease.

    The first run hangs on a lock; its lease and the broker's patience are over; the broker hands the message
    to another process, and a third copy comes in. Then both go on.
    """
    workers = stand.workers("scoring")
    stand.signal_all(workers, signal.SIGSTOP)
    [external_id] = stand.send([post(f"thrice-{uuid.uuid4().hex}")])
    [(post_id, revision_id)] = stand.rows(
        "SELECT p.id, r.id FROM moderation_post p JOIN moderation_revision r ON r.post_id = p.id"
        " WHERE p.external_id = %s",
        external_id,
    )
    state = "SELECT state, attempts FROM moderation_scoringjob WHERE revision_id = %s"

    def hangs(attempt: int) -> bool:
        # Others may wait for the post, too.
        is_taken = stand.rows(state, revision_id) == [("scoring", attempt)]
        return is_taken and traces.waiting_for_locks(stand) >= attempt

    with stand.connection() as lock, stand.broker() as broker:
        lock.execute("SELECT id FROM moderation_post WHERE id = %s FOR NO KEY UPDATE", (post_id,))
        stand.signal_all(workers, signal.SIGCONT)
        stand.wait_until(lambda: hangs(1), "the first run hangs")
        stand.rows("UPDATE moderation_scoringjob SET lease_until = now() WHERE revision_id = %s", revision_id)
        for tag in broker.zrange("unacked_index", 0, -1):
            broker.zadd("unacked_index", {tag: time.time() - 120})

        stand.wait_until(lambda: hangs(2), "handed to a second process")
        # Not `Celery(broker=…)`: CELERY_BROKER_URL, which names the test run's own broker, would win.
        with Connection(stand.broker_url) as own:
            Celery().send_task(
                "moderation.tasks.score_revisions",
                kwargs={"revision_ids": [revision_id]},
                queue="scoring",
                connection=own,
            )
        lock.rollback()
        stand.wait_until(lambda: stand.scored([external_id]) == 1, "scored")
        stand.wait_until(
            lambda: broker.llen("scoring") == traces.taken(broker, "scoring") == 0, "all messages done"
        )

    assert traces.scored_more_often_than_asked(stand, [external_id]) == 0
    assert stand.count("SELECT count(*) FROM moderation_score WHERE revision_id = %s", revision_id) >= 1


@pytest.mark.gate
@pytest.mark.parametrize("way", ["cut", pytest.param("frozen", marks=pytest.mark.long)])
def test_without_triton_posts_reach_a_human_in_time(stand: Stand, api: httpx.Client, way: str) -> None:
    """Trial 12. Promise: an outage of scoring degrades; it never blocks and never silently passes a post."""
    host = traces.ban_a_host(api)
    ids = [f"{way}-{uuid.uuid4().hex}" for _ in range(20)]
    banned = post(f"banned-{uuid.uuid4().hex}", text=f"see http://{host}/now")
    with getattr(stand.triton, way)():
        began = time.monotonic()
        stand.send([*(post(external_id) for external_id in ids), banned])
        stand.wait_until(lambda: stand.scored([*ids, banned["external_id"]]) == 21, "scored without content")
        assert time.monotonic() - began < 20
        assert stand.settled(ids) == 0
        waiting = (
            "SELECT c.id FROM moderation_case c JOIN moderation_post p ON p.id = c.post_id"
            " WHERE c.state = 'open' AND c.reason = 'degraded' AND p.external_id = ANY(%s)"
        )
        assert len(stand.rows(waiting, ids)) == 20
        by_ban = (
            "SELECT d.verdict, d.reason FROM moderation_decision d JOIN moderation_post p ON p.id = d.post_id"
            " WHERE p.external_id = %s"
        )
        assert stand.rows(by_ban, banned["external_id"]) == [("spam", "banned_domain")]
        case_id = stand.rows(waiting, ids)[0][0]
        made = api.post(f"/cases/{case_id}/decisions", json=traces.claim(api, case_id)).json()

    stand.wait_until(lambda: stand.settled(ids) == 20, "all scored again with content")

    def listed() -> list[bool]:
        since = {"since": made["decided_at"], "limit": 500}
        told = api.get("/decisions", params=since).json()["data"]
        return [row["is_degraded"] for row in told if row["id"] == made["id"]]

    stand.wait_until(lambda: listed() == [True], "listed as decided without content")
    assert traces.scored_more_often_than_asked(stand, ids) == 0
