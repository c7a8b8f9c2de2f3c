"""Trials 2 to 6 and 12 on one whole product whose processes and lines really die. Each names its promise.

Beside all of them a second platform polls, is told at twenty endpoints (five slow, five dead), decides
campaigns, exports and erases; in the end it must have read and been told everything once.
"""

from __future__ import annotations

import json
import os
import re
import signal
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import psycopg
import pytest
import redis
from celery import Celery
from standardwebhooks.webhooks import Webhook

from tests.faults import beside
from tests.faults.lines import DeafLine
from tests.faults.stand import Stand, post
from tests.moderation import receiver

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("product"), pytest.mark.timeout(600)]

WAITING = int(os.environ.get("SPAMDESK_TRIAL_POSTS", "400"))
"""Posts that wait when the broker is wiped."""
MOST_IN_BULK = 5_000
COPIES, CONNECTIONS = 1_000, 8


@pytest.fixture(scope="module")
def running() -> Iterator[Stand]:
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-faults-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        stand = Stand(Path(folder) / "state")
        stand.start()
        stand.seed()
        try:
            with beside.at_work(stand):
                yield stand
        finally:
            stand.end()


@pytest.fixture
def stand(running: Stand) -> Stand:
    running.wait_until(running.is_ready, "ready")
    return running


@pytest.fixture
def api(stand: Stand) -> Iterator[httpx.Client]:
    with stand.api() as client:
        yield client


def claim(api: httpx.Client, case_id: int) -> dict[str, Any]:
    """Claim a case for the person behind the key; return what a decision on it says."""
    held = api.put(f"/claims/{case_id}")
    assert held.status_code == 200, held.text
    return {"verdict": "spam", "version": held.json()["case"]["version"]}


class TestAnswerLost:
    """Trial 2. Promise: a decision acknowledged is never lost, and one repeated is the same decision.

    The web server is killed after the commit and before its answer is out; the client asks again.
    """

    def test_under_an_idempotency_key(self, stand: Stand, api: httpx.Client) -> None:
        [case_id] = stand.cases(1)
        body, headers = claim(api, case_id), {"Idempotency-Key": str(uuid.uuid4())}
        with (
            DeafLine(stand) as deaf,
            stand.api(port=deaf.port) as cut_off,
            pytest.raises(httpx.TransportError),
        ):
            cut_off.post(f"/cases/{case_id}/decisions", json=body, headers=headers)
        [[decision]] = stand.rows("SELECT id FROM moderation_decision WHERE case_id = %s", case_id)
        stand.wait_until(stand.is_ready, "ready again")

        again = api.post(f"/cases/{case_id}/decisions", json=body, headers=headers)

        assert again.status_code == 201
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.json()["id"] == str(decision)
        assert traces(stand, case_id) == {"decisions": 1, "labels": 1, "audit": 1, "deliveries": 1}

    def test_on_the_desk(self, stand: Stand) -> None:
        stand.cases(1)
        with httpx.Client(base_url=f"http://localhost:{stand.port}", trust_env=False, timeout=30) as desk:
            sign_in(desk, password="demo")
            headers = {"Shift": "1", "X-CSRFToken": desk.cookies["csrftoken"]}
            case_id, version = next_case(desk, headers)
            form = {"verdict": "spam", "case_version": version, "idempotency_key": str(uuid.uuid4())}
            with DeafLine(stand) as deaf, pytest.raises(httpx.TransportError):
                desk.post(
                    f"http://localhost:{deaf.port}/review/{case_id}/decide/", data=form, headers=headers
                )
            stand.wait_until(stand.is_ready, "ready again")

            again = desk.post(f"/review/{case_id}/decide/", data=form, headers=headers)

        assert again.status_code == 200
        assert traces(stand, case_id) == {"decisions": 1, "labels": 1, "audit": 1, "deliveries": 1}


def test_a_killed_worker_leaves_no_decision_untold(stand: Stand, api: httpx.Client) -> None:
    """Trial 3. Promise: enforcement is delivered or visibly failing. The worker dies before the webhook."""
    with receiver.listening() as platform:
        endpoint = api.post("/webhook-endpoints", json={"url": platform.url}).json()
        [case_id] = stand.cases(1)
        decision = api.post(f"/cases/{case_id}/decisions", json=claim(api, case_id)).json()["id"]

        def is_of_it(said: dict[str, Any]) -> bool:
            return bool(said["type"] == "decision.created" and said["data"]["id"] == decision)

        def told() -> list[tuple[dict[str, str], bytes]]:
            return [(headers, body) for headers, body in platform.got if is_of_it(json.loads(body))]

        stand.signal_all(stand.workers("webhooks"), signal.SIGKILL)
        assert told() == []
        stand.wait_until(lambda: len(told()) > 0, "told after the restart")

        [(headers, body)] = told()
        assert Webhook(endpoint["secret"]).verify(body, headers)["data"]["verdict"] == "spam"
        log = "SELECT state, attempts FROM moderation_delivery WHERE decision_id = %s"
        stand.wait_until(lambda: stand.rows(log, decision) == [("delivered", 1)], "noted as delivered, once")
        assert api.delete(f"/webhook-endpoints/{endpoint['id']}").status_code == 204


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
        "UPDATE moderation_revision SET enqueued_at = enqueued_at - interval '1 minute'"
        " WHERE score_state = 'pending'"
    )

    stand.wait_until(lambda: stand.settled(ids) == WAITING, "all scored", patience_seconds=60 + WAITING / 50)

    assert scored_more_often_than_asked(stand, ids) == 0


def test_a_message_delivered_three_times_scores_once(stand: Stand) -> None:
    """Trial 5. Promise: at-least-once messages, exactly-once effect, also when a run outlives its lease.

    The first run hangs on a lock; its lease and the broker's patience are over; the broker hands the message
    to another process, and a third copy comes in. Then both go on.
    """
    workers = stand.workers("scoring")
    stand.signal_all(workers, signal.SIGSTOP)
    [external_id] = stand.send([post(f"thrice-{uuid.uuid4().hex}")])
    post_id, revision_id = stand.rows(
        "SELECT p.id, r.id FROM moderation_post p JOIN moderation_revision r ON r.post_id = p.id"
        " WHERE p.external_id = %s",
        external_id,
    )[0]
    state = "SELECT score_state, attempts FROM moderation_revision WHERE id = %s"
    with stand.connection() as lock, stand.broker() as broker:
        lock.execute("SELECT id FROM moderation_post WHERE id = %s FOR NO KEY UPDATE", (post_id,))
        stand.signal_all(workers, signal.SIGCONT)
        stand.wait_until(lambda: waiting_for_locks(stand) == 1, "the first run hangs")
        stand.rows("UPDATE moderation_revision SET lease_until = now() WHERE id = %s", revision_id)
        for tag in broker.zrange("unacked_index", 0, -1):
            broker.zadd("unacked_index", {tag: time.time() - 120})

        stand.wait_until(lambda: waiting_for_locks(stand) == 2, "handed to a second process")
        assert stand.rows(state, revision_id) == [("scoring", 2)]
        Celery(broker=stand.broker_url).send_task(
            "moderation.tasks.score_revisions", kwargs={"revision_ids": [revision_id]}, queue="scoring"
        )
        lock.rollback()
        stand.wait_until(lambda: stand.scored([external_id]) == 1, "scored")
        stand.wait_until(lambda: broker.llen("scoring") == taken(broker, "scoring") == 0, "all messages done")

    assert scored_more_often_than_asked(stand, [external_id]) == 0
    assert stand.count("SELECT count(*) FROM moderation_score WHERE revision_id = %s", revision_id) >= 1


def test_a_thousand_copies_are_one_post(stand: Stand, api: httpx.Client) -> None:
    """Trial 6. Promise: at-least-once ingest, exactly-once effect; complaints stay with their post."""
    sent = post(f"copied-{uuid.uuid4().hex}")
    revised = sent | {"revision": 2, "text": "quite another thing is said here now"}
    of_post = "FROM moderation_case c JOIN moderation_post p ON p.id = c.post_id WHERE p.external_id = %s"
    cases = f"SELECT c.id, c.state {of_post} ORDER BY c.id"
    with stand.triton.cut():
        assert send_at_once(stand, sent, times=COPIES) == {202}
        for reporter in ("r-1", "r-2", "r-2", "r-3"):
            assert api.post("/complaints", json=complaint(sent, reporter)).status_code == 202
        stand.wait_until(lambda: len(stand.rows(cases, sent["external_id"])) == 1, "one case")
        [(case_id, _)] = stand.rows(cases, sent["external_id"])
        made = api.post(f"/cases/{case_id}/decisions", json=claim(api, case_id))
        assert made.status_code == 201

        assert send_at_once(stand, revised, times=50) == {202}
        stand.wait_until(lambda: len(stand.rows(cases, sent["external_id"])) > 1, "open again")
        stand.wait_until(lambda: stand.scored([sent["external_id"]]) == 1, "scored again")

    assert [state for _, state in stand.rows(cases, sent["external_id"])] == ["decided", "open"]
    revisions = (
        "SELECT count(*), count(DISTINCT p.id) FROM moderation_revision r"
        " JOIN moderation_post p ON p.id = r.post_id WHERE p.external_id = %s"
    )
    assert stand.rows(revisions, sent["external_id"]) == [(2, 1)]
    kept = (
        "SELECT count(*) FROM moderation_complaint c JOIN moderation_post p ON p.id = c.post_id"
        " WHERE p.external_id = %s"
    )
    assert stand.count(kept, sent["external_id"]) == 3


@pytest.mark.parametrize("way", ["cut", "frozen"])
def test_without_triton_posts_reach_a_human_in_time(stand: Stand, api: httpx.Client, way: str) -> None:
    """Trial 12. Promise: an outage of scoring degrades; it never blocks and never silently passes a post."""
    host = f"{uuid.uuid4().hex}.example"
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    rule = {"effect": "ban", "kind": "domain", "value": host, "reason": "pharmacy", "expires_at": expires_at}
    drafted = api.post("/rules", json=rule)
    assert api.post(f"/rules/{drafted.json()['id']}/activation").status_code == 200
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
        made = api.post(f"/cases/{case_id}/decisions", json=claim(api, case_id)).json()

    stand.wait_until(lambda: stand.settled(ids) == 20, "all scored again with content")

    def listed() -> list[bool]:
        since = {"since": made["decided_at"], "limit": 500}
        told = api.get("/decisions", params=since).json()["data"]
        return [row["is_degraded"] for row in told if row["id"] == made["id"]]

    stand.wait_until(lambda: listed() == [True], "listed as decided without content")
    assert scored_more_often_than_asked(stand, ids) == 0


def test_logs_hold_no_secret_and_nothing_personal(stand: Stand, api: httpx.Client) -> None:
    """Promise: no secret, no text of a post and no address of its author in any log, refusals included."""
    password, word, note = (uuid.uuid4().hex for _ in range(3))
    ip = "203.0.113.77"
    said = post(f"logged-{uuid.uuid4().hex}", text=f"{word} once more", ip=ip)
    said["author"]["email_domain"] = f"{word}.example"
    endpoint = api.post("/webhook-endpoints", json={"url": "http://localhost:1/"}).json()
    with httpx.Client(base_url=f"http://localhost:{stand.port}", trust_env=False, timeout=30) as desk:
        sign_in(desk, password=password)
        sign_in(desk, password="demo")
        assert desk.get("/posts/", params={"q": word}).status_code == 200
    assert send_at_once(stand, said, times=20) == {202}
    assert api.post("/posts", json=said | {"text": f"{word} differs"}).status_code == 409
    assert api.post("/posts", json=said | {"ip": word}).status_code == 422
    assert api.post("/posts", json=said, headers={"Authorization": f"Bearer {password}"}).status_code == 401
    assert api.post("/complaints", json=complaint(said, "r-1") | {"note": note}).status_code == 202
    with stand.connection() as connection, pytest.raises(psycopg.errors.NotNullViolation):
        psycopg.ClientCursor(connection).execute("INSERT INTO moderation_revision (text) VALUES (%s)", [word])
    [case_id] = stand.cases(1)
    decided = api.post(f"/cases/{case_id}/decisions", json=claim(api, case_id) | {"note": note})
    assert decided.status_code == 201
    stand.wait_until(lambda: stand.settled([said["external_id"]]) == 1, "scored")
    attempted = (
        "SELECT count(*) FROM moderation_deliveryattempt a JOIN moderation_delivery d ON d.id = a.delivery_id"
        " WHERE d.decision_id = %s"
    )
    stand.wait_until(lambda: stand.count(attempted, decided.json()["id"]) > 0, "a delivery failed")
    api.delete(f"/webhook-endpoints/{endpoint['id']}")

    secrets = {
        "password": password,
        "text": word,
        "note": note,
        "address": ip,
        "key": api.headers["Authorization"].removeprefix("Bearer "),
        "signing secret": endpoint["secret"].removeprefix("whsec_"),
        **{f.name: f.read_text().strip() for f in (stand.state / "secrets").iterdir() if f.is_file()},
    }
    logs = {file.name: file.read_text(errors="replace") for file in (stand.state / "logs").iterdir()}
    logs["terminal"] = stand.said()
    assert sum(map(len, logs.values())) > 1_000
    assert [(log, what) for log, text in logs.items() for what, it in secrets.items() if it in text] == []


def traces(stand: Stand, case_id: int) -> dict[str, int]:
    """Count what a decision on the case left."""
    decision = "SELECT id FROM moderation_decision WHERE case_id = %s"
    counted = {
        "decisions": f"({decision})",
        "labels": f"(SELECT id FROM moderation_label WHERE decision_id IN ({decision}))",
        "audit": "(SELECT id FROM moderation_auditentry WHERE subject_kind = 'decision'"
        f" AND subject_id IN (SELECT id::text FROM ({decision}) AS d))",
        # To one endpoint: the second platform has twenty.
        "deliveries": "(SELECT id FROM (SELECT id, rank() OVER (ORDER BY endpoint_id) AS place"
        f" FROM moderation_delivery WHERE decision_id IN ({decision})) AS ranked WHERE place = 1)",
    }
    return {
        what: stand.count(f"SELECT count(*) FROM {query} AS found", case_id)
        for what, query in counted.items()
    }


def scored_more_often_than_asked(stand: Stand, ids: list[str]) -> int:
    """Count revisions with more than one score for each reason to score them."""
    query = (
        "SELECT count(*) FROM (SELECT r.id FROM moderation_revision r"
        " JOIN moderation_post p ON p.id = r.post_id JOIN moderation_score s ON s.revision_id = r.id"
        " WHERE p.external_id = ANY(%s) GROUP BY r.id HAVING count(*) > r.generation) AS found"
    )
    return stand.count(query, ids)


def taken(broker: redis.Redis, queue: str) -> int:
    """Count the messages of a queue that a worker has and has not acknowledged."""
    messages = cast("list[bytes]", broker.hvals("unacked"))
    return sum(json.loads(message)[2] == queue for message in messages)


def waiting_for_locks(stand: Stand) -> int:
    """Count the connections that wait for somebody's lock."""
    return stand.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")


def send_at_once(stand: Stand, sent: dict[str, Any], *, times: int) -> set[int]:
    """Send a post so often, over several connections side by side; return the statuses."""

    def send(share: int) -> set[int]:
        with stand.api() as api:
            return {api.post("/posts", json=sent).status_code for _ in range(share)}

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        shares = [times // CONNECTIONS + (number < times % CONNECTIONS) for number in range(CONNECTIONS)]
        return set().union(*pool.map(send, shares))


def complaint(about: dict[str, Any], reporter: str) -> dict[str, Any]:
    """Return a valid complaint."""
    return {
        "post": about["external_id"],
        "reporter": {"external_id": reporter},
        "reason": "spam",
        "reported_at": "2026-03-01T10:00:00Z",
    }


def sign_in(desk: httpx.Client, *, password: str) -> None:
    """Sign in as the moderator, or be refused."""
    desk.get("/sign-in/")
    form = {"username": "moderator", "password": password, "csrfmiddlewaretoken": desk.cookies["csrftoken"]}
    assert desk.post("/sign-in/", data=form).status_code == (302 if password == "demo" else 200)


def next_case(desk: httpx.Client, headers: dict[str, str]) -> tuple[int, int]:
    """Claim the next case on the desk; return its id and version."""
    body = desk.post("/review/next/", headers=headers).text
    case_id, version = re.search(r'data-case="(\d+)"', body), re.search(r'case_version" value="(\d+)"', body)
    assert case_id is not None
    assert version is not None
    return int(case_id.group(1)), int(version.group(1))
