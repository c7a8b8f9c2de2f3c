"""Concurrent load: a second platform that polls, receives webhooks, decides campaigns, exports and erases.

A single fault finds little: promises broke when other things happened during the fault.
"""

import json
import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import psycopg

from deploy.local.places import ROOT
from lab import _answers
from lab._feed_readers import LIMITS, Found, Poller, Source, compare, wait_until_read

PLATFORM = "beside"
SCOPES = (
    *("posts:write", "complaints:write", "verdicts:read", "cases:read", "decisions:write", "rules:admin"),
    *("labels:export", "webhooks:admin"),
)
_QUICK, _SLOW, _DEAD = 10, 5, 5
_LOOK_SECONDS = 2.0
_GATHER_SECONDS = 120
_ALIKE_AT_ONCE = 1_000
_LEAST_WAITING = 10
"""So many wait in a campaign that is worth a decision."""

_MESSAGES = """
SELECT y.id FROM moderation_delivery y JOIN moderation_webhookendpoint w ON w.id = y.endpoint_id
JOIN moderation_platform f ON f.id = w.platform_id AND f.slug = %s
WHERE w.url LIKE %s AND y.state <> 'cancelled'
"""
_STANDING = """
SELECT j.state, c.state, c.reason, m.campaign_id, count(*) FROM moderation_revision r
JOIN moderation_scoringjob j ON j.revision_id = r.id
JOIN moderation_post p ON p.id = r.post_id JOIN moderation_platform f ON f.id = p.platform_id AND f.slug = %s
LEFT JOIN moderation_case c ON c.post_id = p.id LEFT JOIN moderation_campaignmember m ON m.post_id = p.id
GROUP BY 1, 2, 3, 4
"""


@dataclass(frozen=True, kw_only=True)
class SecondPlatform:
    """The platform that is at work beside: the API with its key, and the database."""

    port: int
    secret: str
    database: Callable[[], psycopg.Connection]

    @classmethod
    def register(
        cls, *, port: int, environment: Mapping[str, str], database: Callable[[], psycopg.Connection]
    ) -> "SecondPlatform":
        """Register it with a running product, which this environment names, and give it a key."""
        command = [sys.executable, "manage.py", "create_api_key", PLATFORM]
        command += ["--register", "Beside (made up)", "--acts-as", "lead"]
        command += [f"--scope={scope}" for scope in SCOPES]
        result = subprocess.run(
            command, cwd=ROOT, env=dict(environment), stdout=subprocess.PIPE, check=True, timeout=120
        )
        return cls(port=port, secret=result.stdout.decode().strip(), database=database)

    def api(self) -> httpx.Client:
        return httpx.Client(
            base_url=f"http://localhost:{self.port}/api/v1",
            headers={"Authorization": f"Bearer {self.secret}"},
            trust_env=False,
            timeout=30,
        )

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says."""
        with self.database() as connection:
            return connection.execute(query, values).fetchall()


class Beside:
    """Runs until told to stop; `source` has the second platform's key, which acts as a lead.

    `campaign` posts alike are sent and decided as one, so many `times`; `decided` holds their numbers. The
    webhooks of ten endpoints are answered at once, of five after 15 s, of five never well.
    """

    def __init__(self, source: Source, *, campaign: int, times: int, pause_seconds: float) -> None:
        self.made: Counter[str] = Counter()
        self.decided: list[int] = []
        self._source, self._campaign, self._run = source, campaign, "none yet"
        self._times, self._pause_seconds = times, pause_seconds
        self._is_over = threading.Event()
        self._receivers = subprocess.Popen(
            [sys.executable, "-m", "lab._receivers"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        self._quick = self._add_endpoints()
        self._pollers = [Poller(source, limit=limit, pause_seconds=pause_seconds / 10) for limit in LIMITS]
        acts = (self._campaign_decided, self._exported_and_erased)
        self._threads = [threading.Thread(target=self._keep, args=(act,), daemon=True) for act in acts]
        for thread in (*self._pollers, *self._threads):
            thread.start()

    def stop(self, *, patience_seconds: float = 300) -> list[Found]:
        """Stop; return what each poller read, compared with the database."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(patience_seconds)
        wait_until_read(self._source, self._pollers, platform=PLATFORM, patience_seconds=patience_seconds)
        for poller in self._pollers:
            poller.stop()
        return compare(self._source, self._pollers, platform=PLATFORM)

    def messages(self) -> int:
        """Count the messages due to the endpoints that answer."""
        return len(self._source.rows(_MESSAGES, PLATFORM, f"{self._quick}%"))

    def told(self) -> int:
        """Count those received."""
        return len(self._source.rows(f"{_MESSAGES} AND y.state = 'delivered'", PLATFORM, f"{self._quick}%"))

    def standing(self) -> list[tuple[Any, ...]]:
        """Count its posts by state of scoring, state and reason of the case, and campaign."""
        return self._source.rows(_STANDING, PLATFORM)

    def end(self) -> None:
        """Leave no process behind."""
        self._is_over.set()
        self._receivers.kill()
        with self._receivers:
            pass  # waits for it, and closes its output

    def _add_endpoints(self) -> str:
        """Register the endpoints; return how the addresses of those begin that answer at once."""
        assert self._receivers.stdout is not None
        ports = dict(pair.split("=") for pair in self._receivers.stdout.readline().split())
        dead = ("broken", "mute")
        kinds = ["ok"] * _QUICK + ["slow"] * _SLOW + [dead[number % 2] for number in range(_DEAD)]
        with self._source.api() as api:
            answer = api.get("/webhook-endpoints").raise_for_status().json()
            for row in next(rows for rows in answer.values() if isinstance(rows, list)):  # of a run before
                api.delete(f"/webhook-endpoints/{row['id']}").raise_for_status()
            for number, kind in enumerate(kinds):
                body = {"url": f"http://localhost:{ports[kind]}/{number}"}
                api.post("/webhook-endpoints", json=body).raise_for_status()
        return f"http://localhost:{ports['ok']}/"

    def _keep(self, act: Callable[[httpx.Client], None]) -> None:
        """Repeat it; failures of killed processes are counted and retried."""
        while not self._is_over.wait(self._pause_seconds):
            try:
                with self._source.api() as api:
                    act(api)
            except (httpx.HTTPError, KeyError, ValueError) as broken:
                self.made[type(broken).__name__] += 1

    def _campaign_decided(self, api: httpx.Client) -> None:
        """Send posts alike; decide what has gathered as one."""
        if len(self.decided) >= self._times:
            return
        run = secrets.token_hex(6)
        statuses = _send_alike(api, run=run, count=self._campaign)
        if any(status != httpx.codes.MULTI_STATUS for status in statuses):
            raise ValueError(f"posts alike were not taken: {statuses}")
        self._run = run
        ends_at = time.monotonic() + _GATHER_SECONDS
        while not self._is_over.wait(_LOOK_SECONDS) and time.monotonic() < ends_at:
            rows = api.get("/campaigns").raise_for_status().json()["data"]
            for row in rows:
                if row["waiting"] >= _LEAST_WAITING and self._decide(api, row):
                    return

    def _decide(self, api: httpx.Client, row: dict[str, Any]) -> bool:
        body = {"verdict": "spam", "expected_count": row["waiting"]}
        answer = _answers.final(api, f"/campaigns/{row['id']}/decisions", body, pause_seconds=_LOOK_SECONDS)
        self.made[f"campaign {answer.status_code}"] += 1
        if answer.status_code == httpx.codes.CREATED:
            self.decided.append(row["waiting"])
        return answer.status_code == httpx.codes.CREATED

    def _exported_and_erased(self, api: httpx.Client) -> None:
        """Ask for an export, and erase an author whose post it may hold."""
        self.made[f"export {api.post('/exports', json={'dataset': 'labels'}).status_code}"] += 1
        author = _author_of(self._run, secrets.randbelow(self._campaign))
        self.made[f"erasure {api.delete(f'/authors/{author}').status_code}"] += 1


def _send_alike(api: httpx.Client, *, run: str, count: int) -> list[int]:
    """Send near-duplicates, with a rule by which none passes without a human; return the statuses.

    What the models are sure is spam is removed whatever a rule of effect hold says, so the text is harmless.
    """
    _hold(api, f"{run}.example")
    headers = {"Content-Type": "application/x-ndjson"}
    statuses = []
    for start in range(0, count, _ALIKE_AT_ONCE):
        posts = [_post(run, number) for number in range(start, min(start + _ALIKE_AT_ONCE, count))]
        answer = api.post("/posts:bulk", content="\n".join(map(json.dumps, posts)), headers=headers)
        statuses.append(answer.status_code)
    return statuses


def _author_of(run: str, number: int) -> str:
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
        "author": {"external_id": _author_of(run, number)},
    }
