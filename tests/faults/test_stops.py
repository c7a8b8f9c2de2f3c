"""Trials 26 and 34, in full length where asked: Triton stopped, a transaction held open, on a whole product.

Both lengths come from the environment: 60 and 600 seconds are the whole trial.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deploy.product import Product, command_line
from tests.faults.kills.traces import ban_a_host
from tests.faults.stand import WHOLE_PRODUCT, Stand, post, standing

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(1_200)]

TRITON_SECONDS = float(os.environ.get("SPAMDESK_TRIAL_TRITON_SECONDS", "60"))
TRANSACTION_SECONDS = float(os.environ.get("SPAMDESK_TRIAL_TRANSACTION_SECONDS", "30"))
_SCORED_SECONDS = 60
"""Twenty for scoring without content, and a busy machine."""


class OwnTriton(Stand):
    """The product as `make run` starts it: its Triton is its own, and stands under its supervisor."""

    degraded_seconds = 120

    def __init__(self, state: Path) -> None:
        Product.__init__(self, state)

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment without the address of a Triton that runs elsewhere."""
        given = Product.environment.__get__(self) | {
            "SPAMDESK_SCORING_PROCESSES": "2",
        }
        return {name: value for name, value in given.items() if name != "TRITON_URL"}

    def end(self) -> None:
        """Leave nothing behind."""
        Product.end(self)


@pytest.fixture(scope="module")
def running() -> Iterator[Stand]:
    with standing(OwnTriton, name="stops") as stand:
        yield stand


def test_a_stopped_triton_is_replaced_and_nothing_waits_for_it(stand: Stand, api: httpx.Client) -> None:
    """Promise: posts go to a human without content meanwhile, and are scored with it afterwards."""
    processes = [pid for pid in stand.processes() if "triton" in command_line(pid)]
    before = [post(f"before-{uuid.uuid4().hex}") for _ in range(3)]
    stand.wait_until(lambda: stand.settled(stand.send(before)) == 3, "scored with content")
    ids = [f"stopped-{uuid.uuid4().hex}" for _ in range(20)]

    stand.signal_all(processes, signal.SIGSTOP)
    began = time.monotonic()
    stand.send([post(external_id) for external_id in ids])
    stand.wait_until(
        lambda: stand.scored(ids) == 20, "scored without content", patience_seconds=_SCORED_SECONDS
    )
    assert api.get("/cases").status_code == 200
    time.sleep(max(0.0, TRITON_SECONDS - (time.monotonic() - began)))
    let_go_on(processes)

    stand.wait_until(lambda: stand.settled(ids) == 20, "scored again with content", patience_seconds=300)
    stand.wait_until(stand.is_ready, "ready")


def test_a_transaction_held_open_delays_only_itself(stand: Stand, api: httpx.Client) -> None:
    """Promise: posts are taken, scored and decided, decisions are told, and sweeps are on time."""
    host = ban_a_host(api)
    ids: list[str] = []
    with stand.connection() as held:
        held.execute("UPDATE moderation_platform SET name = name")
        deadline = time.monotonic() + TRANSACTION_SECONDS
        while time.monotonic() < deadline:
            given = post(f"held-{uuid.uuid4().hex}", text=f"see http://{host}/now")
            assert api.post("/posts", json=given).status_code == httpx.codes.ACCEPTED
            ids.append(given["external_id"])
            time.sleep(TRANSACTION_SECONDS / 60)
        stand.wait_until(lambda: set(ids) <= told(api), "all told while it is open", patience_seconds=60)
        age = stand.count(
            "SELECT extract(epoch FROM clock_timestamp() - min(xact_start))::bigint FROM pg_stat_activity"
            " WHERE datname = current_database()"
        )
        said = stand.readiness()
        held.rollback()

    assert age >= int(TRANSACTION_SECONDS)
    assert (said["database"], said["broker"], said.get("late", [])) == ("ok", "ok", [])
    assert len(ids) > 20


def told(api: httpx.Client) -> set[str]:
    """Return the posts of which the feed tells a decision."""
    found: set[str] = set()
    page: dict[str, Any] = {"has_more": True, "next_cursor": None}
    while page["has_more"]:
        given = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        page = api.get("/decisions", params=given | {"limit": 500}).json()
        found |= {row["post"]["external_id"] for row in page["data"]}
    return found


def let_go_on(processes: list[int]) -> None:
    """Let those go on that the supervisor did not replace."""
    for process in processes:
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            continue
