"""What a whole product holds that was restored from a backup made under load."""

import subprocess
import sys
import threading
import uuid
from pathlib import Path

import httpx
import pytest

from deploy.local.places import ROOT
from tests.faults.stand import WHOLE_PRODUCT, Stand, post, standing

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]
_UNWRITTEN = "SELECT count(*) FROM moderation_erasure WHERE journalled_at IS NULL"
_LIVES_ROUNDS = 5
"""For how many rounds a post lives that is to be erased: a backup has some that are erased after it."""


class Traffic(threading.Thread):
    """Posts, decisions and erasures until it is over; what was acknowledged so far, in that order."""

    def __init__(self, stand: Stand) -> None:
        super().__init__(daemon=True)
        self._stand = stand
        self.is_over = threading.Event()
        self.posts: list[str] = []
        self.erased: list[str] = []
        self._doomed: list[str] = []
        self.decided: list[str] = []
        self.failed: list[str] = []

    def run(self) -> None:
        with self._stand.api() as api:
            while not self.is_over.is_set():
                try:
                    self._round(api)
                except (httpx.HTTPError, AssertionError, KeyError) as failure:
                    self.failed.append(repr(failure))

    def _round(self, api: httpx.Client) -> None:
        [kept, doomed] = self._stand.send([post(f"restored-{uuid.uuid4().hex}") for _ in range(2)])
        self.posts.append(kept)
        self._doomed.append(doomed)
        if len(self._doomed) > _LIVES_ROUNDS:
            self._erase(self._doomed.pop(0), api)
        for claimed in api.post("/queues/all/claims", json={"count": 1}).json()["cases"]:
            said = api.post(
                f"/cases/{claimed['id']}/decisions",
                json={"verdict": "spam", "reason": "scam", "version": claimed["version"]},
            )
            assert said.is_success, said.text
            self.decided.append(said.json()["id"])

    def _erase(self, doomed: str, api: httpx.Client) -> None:
        found = api.get("/posts", params={"external_id": doomed}).json()
        assert api.delete(f"/posts/{found['id']}").is_success
        self.erased.append(doomed)


def restored(state: Path, *, backup: Path, journal: str) -> Stand:
    """Return a product in a folder into which a backup was restored, with the journal of the lost one."""
    (state / "erasures").mkdir()
    (state / "erasures" / "journal.jsonl").write_text(journal)
    made = Stand(state)
    command = [sys.executable, "-m", "deploy.local", "restore", str(backup)]
    subprocess.run(command, cwd=ROOT, env=made.environment, check=True, timeout=300)
    return made


def states(stand: Stand, ids: list[str], column: str, condition: str = "") -> int:
    return stand.count(f"SELECT count(*) FROM moderation_post WHERE {column} = ANY(%s) {condition}", ids)


def test_a_backup_under_load_holds_what_was_acknowledged_before_it(tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with standing(Stand, name="saved") as stand:
        stand.cases(20)
        traffic = Traffic(stand)
        traffic.start()
        stand.wait_until(lambda: len(traffic.decided) >= 5, "decided")
        before = list(traffic.posts), list(traffic.erased), list(traffic.decided)
        command = [sys.executable, "manage.py", "backup", str(backup)]
        subprocess.run(command, cwd=ROOT, env=stand.environment, check=True, timeout=300)
        stand.wait_until(lambda: len(traffic.erased) > len(before[1]) + 3, "erased after it")
        traffic.is_over.set()
        traffic.join(30)
        stand.wait_until(lambda: stand.count(_UNWRITTEN) == 0, "in the journal")
        journal = (stand.state / "erasures" / "journal.jsonl").read_text()
        erased = list(traffic.erased)

    assert traffic.failed == []
    with standing(lambda state: restored(state, backup=backup, journal=journal), name="restored") as again:
        again.wait_until(again.is_ready, "ready", patience_seconds=120)
        posts, _, decided = before
        assert states(again, posts, "external_id") == len(posts)
        assert states(again, erased, "external_id", "AND erased_at IS NULL") == 0
        found = "SELECT count(*) FROM moderation_decision WHERE id = ANY(%s)"
        assert again.count(found, [int(one) for one in decided]) == len(decided)
        fresh = again.send([post(f"fresh-{uuid.uuid4().hex}")])
        again.wait_until(lambda: again.scored(fresh) == 1, "scored")
