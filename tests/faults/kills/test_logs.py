"""What a whole product logs after traffic and failures; and each of its processes comes back after a kill."""

import os
import signal
import uuid

import httpx
import psycopg
import pytest

from deploy.local import application
from tests.faults.kills.traces import claim, complaint, send_at_once, sign_in
from tests.faults.stand import Stand, post

WORDS = (
    "valkey-server",
    "deploy.local.parent",
    *(f"spamdesk ({name})" for name in ("web", "beat", *(kind.name for kind in application.workers()))),
)


def _runs(stand: Stand, word: str) -> bool:
    try:
        return stand.process(word) > 0
    except ValueError:
        return False


@pytest.mark.faults
@pytest.mark.xdist_group("product")
@pytest.mark.timeout(600)
def test_logs_hold_no_secret_and_nothing_personal(stand: Stand, api: httpx.Client) -> None:
    """Promise: no secret, no text of a post and no address of its author in any log, refusals included."""
    password, word, note = (uuid.uuid4().hex for _ in range(3))
    ip = "203.0.113.77"
    said = post(f"logged-{uuid.uuid4().hex}", text=f"{word} once more", ip=ip)
    said["author"]["email_domain"] = f"{word}.example"
    endpoint = api.post("/webhook-endpoints", json={"url": "http://localhost:1/"}).json()
    with stand.desk() as desk:
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

    secrets = stand.secrets() | {
        "password": password,
        "text": word,
        "note": note,
        "address": ip,
        "key": api.headers["Authorization"].removeprefix("Bearer "),
        "signing secret": endpoint["secret"].removeprefix("whsec_"),
    }
    logs = stand.logs()
    assert sum(map(len, logs.values())) > 1_000
    assert [(log, what) for log, text in logs.items() for what, it in secrets.items() if it in text] == []


@pytest.mark.gate
@pytest.mark.faults
@pytest.mark.xdist_group("product")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("word", WORDS)
def test_comes_back_after_a_kill(stand: Stand, word: str) -> None:
    stand.wait_until(lambda: all(_runs(stand, each) for each in WORDS), "all up")
    found = {each: stand.process(each) for each in WORDS}
    # The parent takes its copies along, and they are to be gone before new ones are looked for.
    ends = [each for each in WORDS if each == word or (word == "deploy.local.parent" and "(" in each)]
    others = {each: pid for each, pid in found.items() if each not in ends}

    os.kill(found[word], signal.SIGKILL)

    gone = {found[each] for each in ends}
    stand.wait_until(lambda: gone.isdisjoint(stand.processes()), "gone")
    stand.wait_until(lambda: all(_runs(stand, each) for each in WORDS), f"back: {word}")
    stand.wait_until(stand.is_ready, "ready again")
    assert {other: stand.process(other) for other in others} == others
