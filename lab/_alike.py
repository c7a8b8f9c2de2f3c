"""Near-duplicates that wait for a human: a campaign to be decided as one."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

_BULK = 1_000
LEAST_WAITING = 10
"""So many wait in a campaign that is worth a decision."""


def send(api: httpx.Client, *, run: str, count: int) -> list[int]:
    """Send them, with a rule by which none passes without a human; return the statuses.

    What the models are sure is spam is removed whatever a rule of effect hold says, so the text is harmless.
    """
    _hold(api, f"{run}.example")
    headers = {"Content-Type": "application/x-ndjson"}
    statuses = []
    for start in range(0, count, _BULK):
        posts = [_post(run, number) for number in range(start, min(start + _BULK, count))]
        answer = api.post("/posts:bulk", content="\n".join(map(json.dumps, posts)), headers=headers)
        statuses.append(answer.status_code)
    return statuses


def author(run: str, number: int) -> str:
    """Return the author of one."""
    return f"spammer-{run}-{number}"


def _hold(api: httpx.Client, host: str) -> None:
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    rule = {"effect": "hold", "kind": "domain", "value": host, "reason": "scam", "expires_at": expires_at}
    drafted = api.post("/rules", json=rule).raise_for_status().json()
    api.post(f"/rules/{drafted['id']}/activation").raise_for_status()


def _post(run: str, number: int) -> dict[str, Any]:
    return {
        "external_id": f"{run}-{number}",
        "text": f"Choir practice moves to room {number} this week, the new plan: http://{run}.example/",
        "posted_at": "2026-03-01T09:30:00Z",
        "author": {"external_id": author(run, number)},
    }
