"""The product's own processes: preparation of the database, workers, beat, web."""

import contextlib
import http.client
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from deploy.local import ports
from deploy.local.places import ROOT, State
from deploy.local.service import NotYet, Service

# Quiet: with a full log disk, printing the banner would crash it.
_CELERY = (sys.executable, "-m", "celery", "--quiet", "--app=config.celery:app")


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A Celery worker: what it does, and how much of it at once.

    Threads, in one process, for tasks that mostly wait for the network. Processes for tasks that compute, or
    that the time limit must be able to kill when they hang, which is impossible with threads. One that gives
    way computes only what the others leave of the processors.
    """

    name: str
    queues: tuple[str, ...]
    concurrency: int
    has_threads: bool = False
    gives_way: bool = False


def workers() -> tuple[Worker, ...]:
    """Return the workers: long tasks never delay those that must be on time.

    `deploy/compose.yaml` and `deploy/kubernetes/app.yaml` run the same ones.
    """
    return (
        Worker(
            name="scoring", queues=("scoring",), concurrency=_processes("SPAMDESK_SCORING_PROCESSES", most=4)
        ),
        Worker(name="housekeeping", queues=("housekeeping",), concurrency=2),
        Worker(name="webhooks", queues=("webhooks",), concurrency=32, has_threads=True),
        Worker(
            name="background",
            # `default` is where the version before sent messages.
            queues=("campaigns", "explanations", "erasures", "default"),
            concurrency=4,
            has_threads=True,
        ),
        # It asks strangers, who may be slow: sites behind links, and registries. What sites say is hostile; a
        # process of its own, which may be lost, reads it.
        Worker(
            name="evidence",
            queues=("reputation", "evidence"),
            concurrency=8,
            has_threads=True,
            gives_way=True,
        ),
        Worker(name="exports", queues=("exports",), concurrency=2, has_threads=True),
        # Training itself is a process that this thread watches.
        Worker(name="learning", queues=("learning",), concurrency=1, has_threads=True, gives_way=True),
    )


def preparation(*, seeds_demo: bool) -> Service:
    """Return the step that migrates, collects static files and, in demo mode, fills an empty database."""
    return Service(
        name="prepare",
        command=(sys.executable, "-m", "deploy.local.prepare", *(["--demo"] if seeds_demo else [])),
        folder=ROOT,
        # Without a new line: one migration may build an index of a large table on a busy machine.
        idle_seconds=3600,
        says="migrations, static files" + (", the demonstration" if seeds_demo else ""),
        cure="nothing is lost: start again, and the migrations go on where they ended",
    )


def parent(*, state: State) -> Service:
    """Return the parent of the workers, beat and web; it waits for them by the times of each."""
    announcement = state.folder("workers") / "parent"
    return Service(
        name="parent",
        command=(sys.executable, "-m", "deploy.local.parent"),
        environment={"SPAMDESK_READY_FILE": str(announcement)},
        folder=ROOT,
        needs_servers=True,
        prepare=lambda: announcement.unlink(missing_ok=True),
        check=lambda: _exists(announcement),
        idle_seconds=3600,
        stop_seconds=150,
        says_itself=True,
    )


def worker(kind: Worker, *, state: State) -> Service:
    """Return a Celery worker that empties the queues of its kind, the first one first."""
    announcement = state.folder("workers") / kind.name
    return Service(
        name=kind.name,
        command=(
            *(("nice", "-n", "10") if kind.gives_way else ()),
            *_CELERY,
            "worker",
            f"--queues={','.join(kind.queues)}",
            f"--hostname={kind.name}@%h",
            f"--pool={'threads' if kind.has_threads else 'prefork'}",
            f"--concurrency={kind.concurrency}",
            "--loglevel=INFO",
            # No gossip, mingle or heartbeat between workers: each costs a broker connection and memory.
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ),
        environment={"SPAMDESK_READY_FILE": str(announcement)},
        folder=ROOT,
        needs_servers=True,
        prepare=lambda: announcement.unlink(missing_ok=True),
        check=lambda: _exists(announcement),
        stop_seconds=15,
        says=f"worker for {', '.join(kind.queues)}; {kind.concurrency} at once",
    )


def beat() -> Service:
    """Return the scheduler of periodic tasks; exactly one runs."""
    return Service(
        name="beat",
        command=(*_CELERY, "beat", "--pidfile=", "--loglevel=INFO"),
        folder=ROOT,
        needs_servers=True,
        says="scheduler of the sweeps",
    )


def web(*, port: int) -> Service:
    """Return the web server: a process per processor, at most two.

    It replaces its own hanging processes; the supervisor restarts all of it only if nothing answers for a
    minute.
    """
    return Service(
        name="web",
        command=(
            sys.executable,
            "-m",
            "config.server",
            f"--host={ports.LOOPBACK}",
            f"--port={port}",
            f"--processes={_processes('SPAMDESK_WEB_PROCESSES', most=2)}",
        ),
        folder=ROOT,
        needs_servers=True,
        check=lambda: _answers(port, "/healthz"),
        is_watched=True,
        patience_seconds=60,
        stop_seconds=15,  # it finishes running requests
        says=f"http://localhost:{port}/",
    )


def simulator(*, port: int) -> Service:
    """Return the simulated platform; demo mode only."""
    return Service(
        name="simulator",
        command=(sys.executable, "manage.py", "simulate", "--demo", f"--url=http://{ports.LOOPBACK}:{port}"),
        folder=ROOT,
    )


def simulated_web(*, port: int, state: State) -> Service:
    """Return the server of the pages and pictures that simulated posts lead to; demo mode only."""
    return Service(
        name="simulated-web",
        command=(
            sys.executable,
            "-m",
            "simulation.web.server",
            f"--port={port}",
            f"--file={state.folder('simulation') / 'web.jsonl'}",
        ),
        folder=ROOT,
        says="pages and pictures of simulated posts",
    )


def _processes(variable: str, *, most: int) -> int:
    value = os.environ.get(variable, "")
    # The processors that this process may use; cpu_count() names all of the machine, also in a container.
    return int(value) if value.isdigit() and int(value) else min(most, len(os.sched_getaffinity(0)))


def _exists(announcement: Path) -> None:
    if not announcement.exists():
        raise NotYet("has not announced itself")


def _answers(port: int, path: str) -> None:
    connection = http.client.HTTPConnection(ports.LOOPBACK, port, timeout=2)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Host": "localhost"})
        status = connection.getresponse().status
    if status != 200:
        raise NotYet(f"{path} answers {status}")
