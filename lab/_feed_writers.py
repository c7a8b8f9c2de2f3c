"""Seven ways in which decisions come about, each in a thread that goes on until told to stop.

Refusals and broken connections are what a stopped process looks like from outside: counted, and tried again.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from lab import _alike
from tests.faults.stand import Stand

_RUNS = itertools.count()


class Writers:
    """Sends posts of every kind, decides, takes back; `made` counts the answers by kind and status."""

    def __init__(self, stand: Stand, *, campaign: int, pause_seconds: float = 0.2) -> None:
        self._stand, self._campaign, self._pause = stand, campaign, pause_seconds
        self._is_over = threading.Event()
        self._decided: list[str] = []
        self.made: Counter[str] = Counter()
        self.campaigns: list[int] = []
        self._pool = ThreadPoolExecutor(7)
        acts: tuple[Callable[[httpx.Client], None], ...] = (
            self._single,
            self._bulk,
            self._verdict,
            self._akismet,
            self._person,
            self._whole_campaign,
            self._undo,
        )
        self._running = [self._pool.submit(self._keep, act) for act in acts]

    def stop(self) -> None:
        """Stop; raises a writer's error."""
        self._is_over.set()
        for writer in self._running:
            writer.result(300)
        self._pool.shutdown()

    def told(self, decision_id: str) -> None:
        """Take a decision that a poller saw as one to reverse."""
        if len(self._decided) < 50:
            self._decided.append(decision_id)

    def _keep(self, act: Callable[[httpx.Client], None]) -> None:
        while not self._is_over.is_set():
            try:
                with self._stand.api() as api:
                    while not self._is_over.wait(self._pause):
                        act(api)
            except (httpx.HTTPError, KeyError, json.JSONDecodeError) as broken:
                self._count(act.__name__, type(broken).__name__)
                self._is_over.wait(0.5)

    def _count(self, kind: str, status: object) -> None:
        self.made[f"{kind.strip('_')} {status}"] += 1

    def _single(self, api: httpx.Client) -> None:
        self._count("single", api.post("/posts", json=_post()).status_code)

    def _bulk(self, api: httpx.Client) -> None:
        lines = "\n".join(json.dumps(_post()) for _ in range(10))
        headers = {"Content-Type": "application/x-ndjson"}
        self._count("bulk", api.post("/posts:bulk", content=lines, headers=headers).status_code)

    def _verdict(self, api: httpx.Client) -> None:
        self._count("verdict", api.post("/scores", json=_post()).status_code)

    def _akismet(self, api: httpx.Client) -> None:
        post = _post()
        form = {
            "api_key": api.headers["Authorization"].removeprefix("Bearer "),
            "blog": "https://blog.example/",
            "user_ip": "192.0.2.7",
            "comment_author": post["author"]["external_id"],
            "comment_content": post["text"],
        }
        url = str(api.base_url).partition("/api")[0] + "/1.1/comment-check"
        self._count("akismet", api.post(url, data=form).status_code)

    def _person(self, api: httpx.Client) -> None:
        """Decide the next cases; now and then take back one that the platform was told of."""
        for case in api.post("/queues/all/claims", json={"count": 2}).json()["cases"]:
            body = {"verdict": secrets.choice(("spam", "not_spam")), "version": case["version"]}
            answer = api.post(f"/cases/{case['id']}/decisions", json=body)
            self._count("person", answer.status_code)
            if answer.status_code == httpx.codes.CREATED and secrets.randbelow(4) == 0:
                self._decided.append(answer.json()["id"])  # corrected within the time to undo
        if self._decided:
            wrong = self._decided.pop(0)
            answer = api.post(f"/decisions/{wrong}/reversal", json={"reason": "trial"})
            self._count("reversal", answer.status_code)

    def _whole_campaign(self, api: httpx.Client) -> None:
        """Decide the gathered campaign, then send its posts again."""
        if not self._campaign:
            self._is_over.wait(1)
            return
        for row in self._gathered(api):
            body = {"verdict": "spam", "expected_count": row["waiting"]}
            answer = api.post(f"/campaigns/{row['id']}/decisions", json=body)
            self._count("campaign", answer.status_code)
            if answer.status_code == httpx.codes.CREATED:
                self.campaigns.append(row["waiting"])
        run = f"camp{next(_RUNS)}-{secrets.token_hex(4)}"
        for status in _alike.send(api, run=run, count=self._campaign):
            self._count("alike", status)

    def _gathered(self, api: httpx.Client) -> list[dict[str, Any]]:
        """Wait until no campaign grows any more; return those of some size, the largest first."""
        deadline, before = time.monotonic() + 600, [dict[str, Any]()]
        while not self._is_over.wait(5) and time.monotonic() < deadline:
            rows = [
                row for row in api.get("/campaigns").json()["data"] if row["waiting"] >= _alike.LEAST_WAITING
            ]
            if rows and rows == before:
                return sorted(rows, key=lambda row: -int(row["waiting"]))
            before = rows
        return []

    def _undo(self, _api: httpx.Client) -> None:
        """Decide on the desk and undo within the time for it, or just after."""
        with httpx.Client(
            base_url=f"http://localhost:{self._stand.port}", trust_env=False, timeout=30
        ) as desk:
            desk.get("/sign-in/")
            form = {
                "username": "moderator",
                "password": "demo",
                "csrfmiddlewaretoken": desk.cookies["csrftoken"],
            }
            desk.post("/sign-in/", data=form)
            headers = {"Shift": "1", "X-CSRFToken": desk.cookies["csrftoken"]}
            while not self._is_over.wait(self._pause):
                body = desk.post("/review/next/", headers=headers).text
                case = re.search(r'data-case="(\d+)"', body)
                version = re.search(r'case_version" value="(\d+)"', body)
                if case is None or version is None:
                    continue
                fields = {"verdict": "spam", "case_version": version.group(1)}
                desk.post(f"/review/{case.group(1)}/decide/", data=fields, headers=headers)
                query = "SELECT max(id) FROM moderation_decision WHERE case_id = %s"
                [[decision_id]] = self._stand.rows(query, int(case.group(1)))
                self._is_over.wait(secrets.choice((0.0, 1.0, 2.9, 3.0, 3.1)))
                if decision_id is not None:
                    answer = desk.post(f"/decisions/{decision_id}/undo/", headers=headers)
                    self._count("undo", answer.status_code)


def _post() -> dict[str, Any]:
    """Return a post with words of its own, so that it joins no campaign; every third is short."""
    name = f"feed-{secrets.token_hex(8)}"
    digest = hashlib.sha256(name.encode()).hexdigest()
    return {
        "external_id": name,
        "text": " ".join(digest[start : start + 6] for start in range(0, 60, 6)),
        "posted_at": "2026-03-01T09:30:00Z",
        "author": {"external_id": f"author-{secrets.randbelow(500)}"},
    }
