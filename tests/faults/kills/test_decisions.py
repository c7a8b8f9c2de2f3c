"""Trials 2 and 3: a decision survives the web server and the worker that are killed over it."""

import json
import signal
import uuid
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from tests.faults.kills.traces import claim, traces
from tests.faults.lines import DeafLine
from tests.faults.stand import Stand
from tests.moderation import receiver

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("product"), pytest.mark.timeout(600)]


@pytest.mark.gate
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
        assert traces(stand, case_id) == {"decisions": 1, "labels": 1, "audit": 1, "told": 1}


@pytest.mark.gate
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
