"""Trial 32: full disks on one whole product."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from tests.faults import disks
from tests.faults.stand import WHOLE_PRODUCT, Stand, post, standing

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(400)]

_SIZES = {"": 200, "postgres": 400, "broker": 16}


@pytest.fixture(scope="module")
def running() -> Iterator[Stand]:
    disks.need_own()
    with standing(Stand, name="outages", megabytes=_SIZES) as stand:
        yield stand


class TestFullDisk:
    """Trial 32. Promise: a clear refusal, nothing acknowledged is lost, and it goes on when there is room."""

    def test_of_the_database(self, stand: Stand, api: httpx.Client) -> None:
        accepted = [said["external_id"] for said in send(api, 20) if said]
        with disks.full(stand.state / "postgres"):
            refused = refusal(api, accepted)
            assert refused.headers["Retry-After"] == "30"
            assert "database is full" in refused.json()["detail"]
            assert stand.readiness()["database"] == "no_room"
            out_of_log(stand)
            stand.wait_until(lambda: "postgres ended" in stand.said(), "seen by the supervisor")
            died = stand.said().count("postgres ended")
            assert api.post("/posts", json=post("none")).status_code == 503

        stand.wait_until(lambda: is_taken(api, accepted), "taken again")
        assert stand.said().count("postgres ended") - died < 10
        stand.wait_until(lambda: stand.scored(accepted) == len(accepted), "all scored")

    def test_of_the_state_folder(self, stand: Stand, api: httpx.Client) -> None:
        [doomed] = stand.send([post(f"doomed-{uuid.uuid4().hex}")])
        found = api.get("/posts", params={"external_id": doomed}).json()
        journal = stand.state / "erasures" / "journal.jsonl"
        with disks.full(stand.state):
            said = stand.readiness()
            assert (said["state"], said["database"], said["broker"]) == ("no_room", "ok", "ok")
            killed = [*stand.workers("scoring"), stand.process("beat")]
            stand.signal_all(killed, signal.SIGKILL)
            assert api.delete(f"/posts/{found['id']}").status_code in (200, 202, 204)
            export = api.post("/exports", json={}).json()["id"]
            sent = stand.send([post(f"state-{uuid.uuid4().hex}")])
            stand.wait_until(lambda: stand.scored(sent) == 1, "scored without room", patience_seconds=90)
            unwritten = "SELECT count(*) FROM moderation_erasure WHERE journalled_at IS NULL"
            assert stand.count(unwritten) == 1

        stand.wait_until(lambda: stand.count(unwritten) == 0, "in the journal")
        assert all(line.endswith("}") for line in journal.read_text().splitlines())
        stand.wait_until(
            lambda: api.get(f"/exports/{export}").json()["state"] in ("ready", "failed"), "export settled"
        )

    def test_of_the_broker(self, stand: Stand, api: httpx.Client) -> None:
        with disks.full(stand.state / "broker"):
            sent = stand.send([post(f"broker-{uuid.uuid4().hex}") for _ in range(20)])
            stand.wait_until(lambda: stand.readiness().get("broker") == "unreachable", "seen")
            assert is_taken(api, sent)

        # Half a minute is what the sweep waits before it takes a message for lost.
        stand.rows("UPDATE moderation_scoringjob SET enqueued_at = enqueued_at - interval '1 minute'")
        stand.wait_until(lambda: stand.scored(sent) == len(sent), "all scored", patience_seconds=90)


def send(api: httpx.Client, number: int) -> list[dict[str, str] | None]:
    """Send posts one by one; return what each got, None for a refusal."""
    answers = [api.post("/posts", json=post(f"disk-{uuid.uuid4().hex}")) for _ in range(number)]
    return [answer.json() if answer.status_code == httpx.codes.ACCEPTED else None for answer in answers]


def refusal(api: httpx.Client, accepted: list[str]) -> httpx.Response:
    """Send posts until one is refused, and return that answer; note those that were accepted."""
    for _ in range(200):
        answer = api.post("/posts", json=post(f"disk-{uuid.uuid4().hex}", text="words " * 2_000))
        if answer.status_code != httpx.codes.ACCEPTED:
            return answer
        accepted.append(answer.json()["external_id"])
    raise AssertionError("the full disk took everything")


def is_taken(api: httpx.Client, accepted: list[str]) -> bool:
    """Send a post; note it if it was accepted."""
    answer = api.post("/posts", json=post(f"again-{uuid.uuid4().hex}"))
    if answer.status_code == httpx.codes.ACCEPTED:
        accepted.append(answer.json()["external_id"])
    return answer.status_code == httpx.codes.ACCEPTED


def out_of_log(stand: Stand) -> None:
    """Go on writing until the database's log has no room: then the server ends itself."""
    for _ in range(20):
        try:
            stand.rows("SELECT pg_switch_wal()")
            stand.rows("CHECKPOINT")
        except psycopg.Error:
            return
    raise AssertionError("the database's log had room")
