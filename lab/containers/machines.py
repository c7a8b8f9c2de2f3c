"""The trial of several machines: each is cut off, frozen and killed while a platform works; then failover."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from lab.containers import engine as containers
from lab.containers import journey
from lab.containers.client import Api, Desk
from lab.containers.cluster import Cluster, guide_commands
from lab.containers.engine import Failed
from lab.containers.readers import Readers
from lab.containers.traffic import Traffic

HIT = ("web-1", "scoring-1", "triton-1", "valkey", "postgres-b", "postgres-a")
_WAYS = ("cut", "paused", "killed")
_STANDBY = "postgres-b"
_OUT_SECONDS = 10
_WELL_SECONDS = 300
FAILOVER_SECONDS = 300


@dataclass(frozen=True)
class Trial:
    """A cluster, and a platform at work on it."""

    cluster: Cluster
    api: Api
    traffic: Traffic
    readers: Readers
    say: containers.Say

    def hit(self, name: str, how: str) -> None:
        """Take one machine away for a while and say what the platform noticed."""
        self.traffic.longest_pause()
        self.readers.longest_wait()
        with self._without(name, how):
            time.sleep(_OUT_SECONDS)
            noticed = self._probe()
            if how == "behind":
                noticed += f" and an export holds {journey.labels_are_exported(self.api)} labels"
        seconds = self._until_well(f"after {name} was {how}")
        pause, wait = self.traffic.longest_pause(), self.readers.longest_wait()
        self.say(
            f"  {name:<10} {how:<6}  meanwhile a post {noticed}; longest without one acknowledged"
            f" {pause:.1f} s, without a page {wait:.1f} s; a post is scored with content {seconds:.1f} s"
            " after it is back"
        )
        self.traffic.check()

    def read_from_standby(self) -> None:
        """Export labels from the standby, which takes no writes, and compare with the primary."""
        time.sleep(_OUT_SECONDS)  # until the first decisions can no longer be undone, and so are labels
        counts = {}
        for name in ("postgres-a", "postgres-b"):
            command = ("python", "manage.py", "export_labels", "--out=/tmp/labels.jsonl")
            variable = f"DATABASE_URL={self.cluster.address(name)}"
            output = self.cluster.run("web-1", "env", variable, *command)
            counts[name] = int(output.split()[0])
        if counts["postgres-b"] < counts["postgres-a"]:
            raise Failed(f"the standby exports fewer labels: {counts}")
        of_standby, of_primary = counts["postgres-b"], counts["postgres-a"]
        self.say(f"  the standby exports {of_standby} labels, the primary just before it {of_primary}")

    def fail_over(self) -> float:
        """Cut the primary off for good, follow the guide, and return the seconds until all is well."""
        self.readers.longest_wait()
        before = set(self.traffic.decided)
        began = time.monotonic()
        self.cluster.cut("postgres-a")
        for block in guide_commands("failover"):
            self.cluster.shell("postgres-b", block)
        promoted = time.monotonic() - began
        self._until_well("after the failover")
        containers.wait(
            "a decision on the new primary",
            lambda: bool(set(self.traffic.decided) - before),
            seconds=FAILOVER_SECONDS,
        )
        seconds = time.monotonic() - began
        self.say(
            f"  failover: promoted {promoted:.1f} s after the cut, scored and decided after {seconds:.1f} s;"
            f" longest without a page {self.readers.longest_wait():.1f} s"
        )
        return seconds

    @contextmanager
    def _without(self, name: str, how: str) -> Iterator[None]:
        engine, container = self.cluster.engine, self.cluster.container(name)
        if how == "cut":
            self.cluster.cut(name)
            yield
            self.cluster.mend(name)
        elif how == "paused":
            engine("pause", container)
            yield
            engine("unpause", container)
        elif how == "behind":
            self.cluster.query(name, "SELECT pg_wal_replay_pause()")
            yield
            self.cluster.query(name, "SELECT pg_wal_replay_resume()")
        else:
            engine.kill_process(container)
            yield

    def _probe(self) -> str:
        """Say how soon a post is scored now, if at all."""
        began = time.monotonic()
        try:
            journey.post_is_scored(self.api, seconds=5)
        except Failed:
            return "waits for its score"
        return f"is scored in {time.monotonic() - began:.1f} s"

    def _until_well(self, when: str) -> float:
        began = time.monotonic()
        until = began + _WELL_SECONDS
        while time.monotonic() < until:
            try:
                if journey.post_is_scored(self.api, seconds=30):
                    return time.monotonic() - began
            except Failed:
                self.traffic.check()
        raise Failed(f"{when} no post was scored with content within {_WELL_SECONDS} s")


def run(cluster: Cluster, *, say: containers.Say, check: Callable[[Traffic], None]) -> None:
    """Do all of it. Raises Failed."""
    say("starting the machines")
    cluster.start(say=say)
    api = journey.first_key(cluster.port, partial(cluster.run, "web-1"))
    people = {name: _person(cluster, name) for name in ("looks", "changes")}
    with Traffic(api) as traffic, Readers(traffic, **people) as readers:
        trial = Trial(cluster, api, traffic, readers, say)
        containers.wait("ten decisions", lambda: len(traffic.decided) >= 10, seconds=_WELL_SECONDS)
        trial.read_from_standby()
        for name in HIT:
            for how in (*_WAYS, "behind") if name == _STANDBY else _WAYS:
                trial.hit(name, how)
        say(f"  the standby has answered {_answered_by_standby(cluster)} transactions since it was killed")
        if (seconds := trial.fail_over()) > FAILOVER_SECONDS:
            raise Failed(f"the failover took {seconds:.0f} s")
        time.sleep(_OUT_SECONDS)
    _check_readers(readers, say=say)
    check(traffic)


def _person(cluster: Cluster, name: str) -> Desk:
    """Return the browser of a new lead who has signed in."""
    command = ("python", "manage.py", "create_user", name, "--role=lead")
    password = cluster.run("web-1", *command).strip()
    desk = Desk(cluster.port)
    desk.sign_in(name, password)
    return desk


def _answered_by_standby(cluster: Cluster) -> int:
    query = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'spamdesk'"
    return int(cluster.query(_STANDBY, query))


def _check_readers(readers: Readers, *, say: containers.Say) -> None:
    """Say what people saw. Raises Failed if it was older than is promised."""
    say(
        f"{readers.pages} pages were read, the oldest {readers.oldest_seconds:.1f} s behind what was"
        f" acknowledged; {readers.changes} times somebody changed something and saw all that came before"
    )
    if findings := readers.findings():
        raise Failed("; ".join(findings[:5]))
