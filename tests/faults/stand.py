"""A whole product that the trials hurt: supervisor, PostgreSQL, broker, workers, web; a line to Triton."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
import redis

from deploy.local.places import ROOT
from tests.deploy.product import Product, command_line
from tests.faults import disks
from tests.faults.lines import Line

UNDO_SECONDS = 3
WHOLE_PRODUCT = (pytest.mark.faults, pytest.mark.long, pytest.mark.xdist_group("product"))
"""Marks of trials that take minutes of a product of their own."""


class Stand(Product):
    """The product with a demo platform, two scoring processes, and Triton at the end of a line."""

    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.triton = Line(urlsplit(os.environ["TRITON_URL"]).port or 0)

    @property
    def environment(self) -> dict[str, str]:
        """Return the product's environment, with what the trials need otherwise than usual."""
        return super().environment | {
            "TRITON_URL": f"grpc://127.0.0.1:{self.triton.port}",
            "SPAMDESK_SCORING_PROCESSES": "2",
            "SPAMDESK_EGRESS_PRIVATE_HOSTS": "localhost",
        }

    def end(self) -> None:
        """Leave nothing behind."""
        super().end()
        self.triton.close()

    def seed(self) -> None:
        """Make the demo platform, its key and the accounts; processes that run follow within seconds."""
        self.rows(
            "INSERT INTO moderation_desksettings (undo_seconds, degraded_seconds, audit_first_percent)"
            " VALUES (%s, 0, 2) ON CONFLICT DO NOTHING",  # where a backup brought them
            UNDO_SECONDS,
        )
        command = [sys.executable, "manage.py", "seed_demo"]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, timeout=120)

    def api(self, *, port: int | None = None) -> httpx.Client:
        """Return a client of the API with the demo platform's key, which acts as the lead."""
        key = (self.state / "secrets" / "demo-api-key").read_text().strip()
        return httpx.Client(
            base_url=f"http://localhost:{port or self.port}/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=30,
        )

    def desk(self) -> httpx.Client:
        """Return a browser's client of the desk, not signed in."""
        return httpx.Client(base_url=f"http://localhost:{self.port}", trust_env=False, timeout=30)

    def secrets(self) -> dict[str, str]:
        """Return what the installation keeps secret, by file."""
        files = [file for file in (self.state / "secrets").iterdir() if file.is_file()]
        return {file.name: file.read_text().strip() for file in files}

    def logs(self) -> dict[str, str]:
        """Return every log and what the terminal said."""
        written = {file.name: file.read_text(errors="replace") for file in (self.state / "logs").iterdir()}
        return written | {"terminal": self.said()}

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says; a statement without rows returns none."""
        with psycopg.connect(self._address("DATABASE_URL")) as connection:
            found = connection.execute(query, values)
            return found.fetchall() if found.description else []

    def count(self, query: str, *values: object) -> int:
        """Return the only number of the answer."""
        return int(self.rows(query, *values)[0][0])

    def connection(self) -> psycopg.Connection:
        """Return a connection of the test's own, for locks."""
        return psycopg.connect(self._address("DATABASE_URL"))

    def broker(self) -> redis.Redis:
        """Return a connection to the broker."""
        return redis.Redis.from_url(self.broker_url)

    @property
    def broker_url(self) -> str:
        """Return the broker's address."""
        return self._address("CELERY_BROKER_URL")

    def send(self, posts: Sequence[dict[str, Any]]) -> list[str]:
        """Send posts in one bulk request; return their external ids."""
        with self.api() as api:
            answer = api.post(
                "/posts:bulk",
                content="\n".join(json.dumps(post) for post in posts),
                headers={"Content-Type": "application/x-ndjson"},
            )
        assert answer.status_code == httpx.codes.MULTI_STATUS, answer.text
        assert answer.json()["accepted"] == len(posts), answer.text
        return [post["external_id"] for post in posts]

    def settled(self, ids: Sequence[str]) -> int:
        """Count the posts whose latest text was scored with every model."""
        return self._in_states(ids, "scored")

    def scored(self, ids: Sequence[str]) -> int:
        """Count the posts whose latest text was scored, with the content model or without."""
        return self._in_states(ids, "scored", "degraded")

    def cases(self, number: int) -> list[int]:
        """Make as many open cases: posts that come in while Triton is away go to a human."""
        ids = [f"case-{uuid.uuid4().hex}" for _ in range(number)]
        query = (
            "SELECT c.id FROM moderation_case c JOIN moderation_post p ON p.id = c.post_id"
            " WHERE c.state = 'open' AND p.external_id = ANY(%s) ORDER BY c.id"
        )
        with self.triton.cut():
            self.send([post(external_id) for external_id in ids])
            self.wait_until(lambda: len(self.rows(query, ids)) == number, "cases open")
        return [row[0] for row in self.rows(query, ids)]

    def workers(self, name: str) -> list[int]:
        """Return the processes of a worker, the oldest first."""
        return sorted(pid for pid in self.processes() if f"spamdesk ({name})" in command_line(pid))

    def signal_all(self, processes: Sequence[int], number: signal.Signals) -> None:
        """Send a signal to each."""
        for process in processes:
            os.kill(process, number)

    def _in_states(self, ids: Sequence[str], *states: str) -> int:
        return self.count(
            "SELECT count(*) FROM moderation_revision r JOIN moderation_post p ON p.id = r.post_id"
            " JOIN moderation_scoringjob j ON j.revision_id = r.id"
            " WHERE r.number = p.latest_revision AND p.external_id = ANY(%s) AND j.state = ANY(%s)",
            list(ids),
            list(states),
        )

    def _address(self, name: str) -> str:
        lines = (self.state / "addresses.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)[name]


def post(external_id: str, **given: Any) -> dict[str, Any]:
    """Return a valid post; each has words of its own, so that none joins another's campaign."""
    digest = hashlib.sha256(external_id.encode()).hexdigest()
    return {
        "external_id": external_id,
        "text": " ".join(digest[start : start + 6] for start in range(0, 60, 6)),
        "posted_at": "2026-03-01T09:30:00Z",
        "author": {"external_id": f"author-of-{external_id}"},
    } | given


AnyStand = TypeVar("AnyStand", bound=Stand)


@contextlib.contextmanager
def standing(
    make: Callable[[Path], AnyStand], *, name: str, megabytes: Mapping[str, int] | None = None
) -> Iterator[AnyStand]:
    """Run a product of its own with the demo platform; nothing is left of it.

    `megabytes` are sizes of disks of its own by the folder of its state where they are mounted, outer ones
    first; that needs root (`disks.need_own`).
    """
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix=f"spamdesk-{name}-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        state = Path(folder) / "state"
        state.mkdir(mode=0o711)
        with contextlib.ExitStack() as mounted:
            for place, size in (megabytes or {}).items():
                disks.mount(state / place, megabytes=size)
                mounted.callback(disks.unmount, state / place)
            stand = make(state)
            try:
                stand.start()
                stand.seed()
                yield stand
            finally:
                stand.end()
