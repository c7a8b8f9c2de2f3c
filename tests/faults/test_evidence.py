"""Evidence on one whole product: its worker killed, frozen and overtaken; its store full; its web gone."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.evidence import Limits
from deploy.local.places import ROOT
from tests.deploy.product import command_line
from tests.faults import disks
from tests.faults.kills.traces import scored_more_often_than_asked
from tests.faults.pages import Web
from tests.faults.stand import WHOLE_PRODUCT, Stand, post, standing

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(600)]

THREADS, AT_ONCE = 8, Limits().platform_at_once
"""Threads of the product's evidence worker; its fetches for one platform at once."""
POSTS = 40
KILLS = 2
"""After three tries a page is given up."""
SCORED_SECONDS = 30
"""A second or two on a machine of its own; never the lease or the time limits of evidence."""
_OF_POSTS = (
    " FROM moderation_evidence e JOIN moderation_revisionevidence c ON c.evidence_id = e.id"
    " JOIN moderation_revision r ON r.id = c.revision_id JOIN moderation_post p ON p.id = r.post_id"
    " WHERE p.external_id = ANY(%s)"
)


class EvidenceStand(Stand):
    """The product with a web of the test's own for all names of `.example`."""

    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.web = Web()

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment with the port of that web."""
        return super().environment | {"SPAMDESK_SIMULATED_WEB_PORT": str(self.web.port)}

    def seed(self) -> None:
        """Make the demo platform, which has evidence of all posts collected."""
        super().seed()
        self.rows("UPDATE moderation_platform SET collects_evidence = 'on', browses_evidence = 'off'")

    def end(self) -> None:
        """Leave nothing behind."""
        super().end()
        self.web.close()

    def states(self, ids: list[str]) -> list[str]:
        """Return how the evidence of posts stands, of each post and address once."""
        return [state for (state,) in self.rows(f"SELECT e.state {_OF_POSTS}", ids)]

    def has_ended(self, ids: list[str], *, fetches: int) -> bool:
        """Return whether as much is known as posts carry, and nothing is still to come."""
        states = self.states(ids)
        return len(states) >= fetches and not {"waiting", "fetching"} & set(states)

    def end_leases(self) -> None:
        """Let five minutes pass."""
        self.rows("UPDATE moderation_evidence SET lease_until = now() WHERE state = 'fetching'")


@pytest.fixture(scope="module")
def running() -> Iterator[EvidenceStand]:
    disks.need_own()
    with standing(EvidenceStand, name="evidence", megabytes={"evidence": 4}) as stand:
        yield stand


@pytest.fixture
def stand(running: EvidenceStand) -> EvidenceStand:
    """Return the product, whose evidence worker has read a page: its process that reads is there."""
    running.wait_until(running.is_ready, "ready")
    running.end_leases()
    ids = running.send([linked(f"http://first-{uuid.uuid4().hex}.example/page")])
    running.wait_until(lambda: running.has_ended(ids, fetches=1), "read a page")
    return running


def linked(*links: str, **given: object) -> dict[str, object]:
    """Return a post with these links."""
    return post(f"evidence-{uuid.uuid4().hex}", links=list(links), **given)


def many(run: str) -> list[dict[str, object]]:
    """Return posts of which each two share a link; every third link leads on to another site."""
    paths = ["go" if number % 3 == 0 else "page" for number in range(POSTS // 2)]
    urls = [f"http://site-{number}-{run}.example/{path}/{number}" for number, path in enumerate(paths)]
    return [linked(url) for url in urls for _ in range(2)]


def seconds_to_score(stand: Stand) -> float:
    """Send posts with links and return how long their scores take."""
    began = time.monotonic()
    ids = stand.send([linked(f"http://beside-{uuid.uuid4().hex}.example/page") for _ in range(20)])
    stand.wait_until(lambda: stand.settled(ids) == len(ids), "scored", patience_seconds=SCORED_SECONDS)
    return time.monotonic() - began


def is_whole(stand: EvidenceStand, ids: list[str]) -> bool:
    """Return whether each post has one score of all models with what came.

    On a busy machine there are more without the content model, each with one after it.
    """
    once = stand.count(
        "SELECT count(*) FROM (SELECT r.id FROM moderation_revision r"
        " JOIN moderation_post p ON p.id = r.post_id JOIN moderation_score s ON s.revision_id = r.id"
        " WHERE p.external_id = ANY(%s) AND NOT s.is_degraded AND s.record->'evidence' <> '[]'"
        " GROUP BY r.id HAVING count(*) = 1) AS found",
        ids,
    )
    return once == len(ids) == stand.settled(ids)


def readers(stand: Stand) -> list[int]:
    """Return the processes in which the evidence worker reads."""
    found = []
    for worker in stand.workers("evidence"):
        for listed in Path(f"/proc/{worker}/task").glob("*/children"):
            found += [int(process) for process in listed.read_text().split()]
    return found


def are_there(processes: list[int]) -> bool:
    """Return whether any of these is still running."""
    return any(command_line(process) for process in processes)


@contextmanager
def second_worker(stand: EvidenceStand) -> Iterator[None]:
    """Run another evidence worker beside the product's."""
    lines = (stand.state / "addresses.env").read_text().splitlines()
    worker = [
        *(sys.executable, "-m", "celery", "--app=config.celery:app", "worker"),
        *("--queues=evidence", "--pool=threads", f"--concurrency={THREADS}", "--hostname=second@%h"),
    ]
    environment = stand.environment | dict(line.split("=", 1) for line in lines)
    with (stand.state / "second").open("wb") as output:
        process = subprocess.Popen(worker, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


class TestKilled:
    """Promise: nothing lost, nothing doubled, scoring untouched."""

    def test_in_the_middle_of_fetches(self, stand: EvidenceStand) -> None:
        reading, broken_off = readers(stand), list[str]()
        assert reading
        with stand.web.holding():
            ids = stand.send(many(uuid.uuid4().hex[:8]))
            for _ in range(KILLS):
                stand.wait_until(lambda: len(stand.web.held) >= AT_ONCE, "under way")
                stand.signal_all(stand.workers("evidence"), signal.SIGKILL)
                broken_off += stand.web.held
                stand.web.held.clear()
                stand.end_leases()
                assert seconds_to_score(stand) < SCORED_SECONDS
            stand.wait_until(lambda: not are_there(reading), "its readers are gone, too")

        stand.wait_until(lambda: stand.has_ended(ids, fetches=POSTS), "all fetched")

        assert stand.states(ids) == ["fetched"] * POSTS
        stand.wait_until(lambda: is_whole(stand, ids), "all scored again, once")
        assert scored_more_often_than_asked(stand, ids) == 0
        fetched = stand.rows(f"SELECT DISTINCT e.id, e.url {_OF_POSTS}", ids)
        asked = [stand.web.asked[url] - broken_off.count(url) for _, url in fetched]
        assert asked == [1] * len(fetched), "once, and again only what a kill broke off"

    def test_not_but_stopped_until_another_has_taken_over(self, stand: EvidenceStand) -> None:
        """What it comes back with is not kept: it was overtaken."""
        with stand.web.holding():
            ids = stand.send(many(uuid.uuid4().hex[:8]))
            stand.wait_until(lambda: len(stand.web.held) >= AT_ONCE, "under way")
            stopped = stand.workers("evidence")
            stand.signal_all(stopped, signal.SIGSTOP)
        try:
            stand.end_leases()
            with second_worker(stand):
                stand.wait_until(lambda: stand.has_ended(ids, fetches=POSTS), "all fetched")
                kept = f"SELECT DISTINCT e.id, e.attempts, e.fetched_at {_OF_POSTS} ORDER BY e.id"
                before = stand.rows(kept, ids)
                stand.wait_until(lambda: is_whole(stand, ids), "all scored again")
        finally:
            stand.signal_all(stopped, signal.SIGCONT)

        # Behind what each of its threads had in hand.
        last = stand.send(
            [linked(f"http://last-{uuid.uuid4().hex}.example/page") for _ in range(3 * THREADS)]
        )
        stand.wait_until(lambda: stand.has_ended(last, fetches=3 * THREADS), "the first one works again")
        assert stand.rows(kept, ids) == before
        assert is_whole(stand, ids)
        assert scored_more_often_than_asked(stand, ids) == 0


@pytest.mark.parametrize("way", ["full", "read-only"])
def test_a_store_without_room_loses_no_picture(stand: EvidenceStand, way: str) -> None:
    """Promise: what is read is known at once, and the thumbnail is kept as soon as there is room."""
    urls = [f"http://pictures.example/{uuid.uuid4().hex}.png" for _ in range(3)]
    waiting = "SELECT count(*) FROM moderation_unkeptfile"
    with shut(stand.state / "evidence", way=way):
        ids = stand.send([linked(media_urls=[url]) for url in urls])
        stand.wait_until(lambda: stand.has_ended(ids, fetches=len(urls)), "all read")
        assert stand.states(ids) == ["fetched"] * len(urls)
        assert stand.count(waiting) == len(urls)
        assert seconds_to_score(stand) < SCORED_SECONDS

    stand.wait_until(lambda: stand.count(waiting) == 0, "all kept")
    named = stand.rows(f"SELECT e.thumbnail, e.facts->>'text' {_OF_POSTS}", ids)
    assert all((stand.state / "evidence" / digest[:2] / digest).stat().st_size for digest, _ in named)
    assert all("OFFER" in text for _, text in named)
    assert [stand.web.asked[url] for url in urls] == [1] * len(urls)
    assert scored_more_often_than_asked(stand, ids) == 0


@contextmanager
def shut(folder: Path, *, way: str) -> Iterator[None]:
    """Let nothing be written in a folder with a disk of its own."""
    if way == "full":
        with disks.full(folder):
            yield
        return
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


@pytest.mark.parametrize(("way", "state"), [("holding", "timed_out"), ("gone", "unreachable")])
def test_a_web_that_does_not_answer_is_said_by_name(stand: EvidenceStand, way: str, state: str) -> None:
    """Promise: every fetch ends, by its name, and no post waits for it."""
    run = uuid.uuid4().hex[:8]
    with getattr(stand.web, way)():
        ids = stand.send([linked(f"http://none-{number}-{run}.example/") for number in range(THREADS + 1)])
        assert seconds_to_score(stand) < SCORED_SECONDS
        stand.wait_until(lambda: stand.has_ended(ids, fetches=THREADS + 1), "all ended")

    assert stand.states(ids) == [state] * (THREADS + 1)
    assert stand.settled(ids) == len(ids)
    assert scored_more_often_than_asked(stand, ids) == 0
