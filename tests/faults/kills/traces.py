"""What the trials send to a whole product, and what they count of it in the database and the broker."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import httpx
import redis

from tests.faults.stand import Stand

CONNECTIONS = 8


def claim(api: httpx.Client, case_id: int) -> dict[str, Any]:
    """Claim a case for the person behind the key; return what a decision on it says."""
    held = api.put(f"/claims/{case_id}")
    assert held.status_code == 200, held.text
    return {"verdict": "spam", "version": held.json()["case"]["version"]}


def traces(stand: Stand, case_id: int) -> dict[str, int]:
    """Count what a decision on the case left."""
    decision = "SELECT id FROM moderation_decision WHERE case_id = %s"
    counted = {
        "decisions": f"({decision})",
        "labels": f"(SELECT id FROM moderation_label WHERE decision_id IN ({decision}))",
        "audit": "(SELECT id FROM moderation_auditentry WHERE subject_kind = 'decision'"
        f" AND subject_id IN (SELECT id::text FROM ({decision}) AS d))",
        "told": f"(SELECT decision_id FROM moderation_feedentry WHERE stream = 'decisions'"
        f" AND decision_id IN ({decision}))",
    }
    return {
        what: stand.count(f"SELECT count(*) FROM {query} AS found", case_id)
        for what, query in counted.items()
    }


def scored_more_often_than_asked(stand: Stand, ids: list[str]) -> int:
    """Count revisions with more than one score for each reason to score them."""
    query = (
        "SELECT count(*) FROM (SELECT j.revision_id FROM moderation_revision r"
        " JOIN moderation_post p ON p.id = r.post_id JOIN moderation_score s ON s.revision_id = r.id"
        " JOIN moderation_scoringjob j ON j.revision_id = r.id"
        " WHERE p.external_id = ANY(%s) GROUP BY j.revision_id HAVING count(*) > j.generation) AS found"
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


def ban_a_host(api: httpx.Client) -> str:
    """Make a rule by which every post with a link to the returned host is decided at once."""
    host = f"{uuid.uuid4().hex}.example"
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    rule = {"effect": "ban", "kind": "domain", "value": host, "reason": "pharmacy", "expires_at": expires_at}
    drafted = api.post("/rules", json=rule).json()
    assert api.post(f"/rules/{drafted['id']}/activation").status_code == httpx.codes.OK
    return host


def sign_in(desk: httpx.Client, *, password: str) -> None:
    """Sign in as the moderator, or be refused."""
    desk.get("/sign-in/")
    form = {"username": "moderator", "password": password, "csrfmiddlewaretoken": desk.cookies["csrftoken"]}
    assert desk.post("/sign-in/", data=form).status_code == (302 if password == "demo" else 200)
