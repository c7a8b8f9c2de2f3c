"""A product of its own for a measurement: its own state folder, and only the parts that the question needs.

The state stays in `.state/bench`, so that a database that took minutes to fill is filled once.
"""

import contextlib
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg

from deploy.local import application, ports, run
from deploy.local.places import ROOT, State
from deploy.local.service import Service
from deploy.local.supervisor import Supervisor

SHIPPED = ROOT / "triton_repo"
_PARTS = ("evidence.child", "reputation", "simulation.web", "celery", "postgres", "triton", "valkey")

_SETTINGS = """
INSERT INTO moderation_desksettings (posts_per_minute, undo_seconds) VALUES (10000000, 10)
ON CONFLICT (id) DO NOTHING
"""


@contextmanager
def running(
    *,
    name: str,
    has_triton: bool = False,
    has_web: bool = False,
    has_evidence: bool = False,
    scoring_processes: int = 0,
) -> Iterator[Supervisor]:
    """Start PostgreSQL and the broker with the product's own settings, and what else is asked for.

    Fills the environment, so that Django can be set up inside. The demo platform and its key exist.
    No key is slowed down.
    """
    state = State(ROOT / ".state" / "bench" / name)
    everything = run.environment(state, port=ports.free()) | {"SPAMDESK_MODE": "demo"}
    environment = {name: value for name, value in everything.items() if not name.endswith(("_URL", "_PROXY"))}
    if not has_triton:
        environment["TRITON_URL"] = f"grpc://{ports.LOOPBACK}:9"  # nobody answers there
    if has_evidence:
        environment["SPAMDESK_SIMULATED_WEB_PORT"] = str(ports.free())
    with Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=environment, say=_say
    ) as supervisor:
        supervisor.wait_until_up(run.servers(supervisor, state))
        supervisor.run_step(application.preparation(seeds_demo=True))
        os.environ.update(supervisor.environment)
        with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
            connection.execute(_SETTINGS)
        supervisor.bring_up(*_services(state, has_web=has_web, scoring_processes=scoring_processes))
        if has_evidence:
            port = int(environment["SPAMDESK_SIMULATED_WEB_PORT"])
            supervisor.launch(application.simulated_web(port=port, state=state))
            kind = next(kind for kind in application.workers() if kind.name == "evidence")
            supervisor.bring_up(application.worker(kind, state=state))
        yield supervisor


def web_url() -> str:
    """Return the address of the web server."""
    return f"http://{ports.LOOPBACK}:{os.environ['SPAMDESK_WEB_PORT']}"


def demo_key() -> str:
    """Return the key of the demo platform."""
    return (Path(os.environ["SPAMDESK_STATE_DIR"]) / "secrets" / "demo-api-key").read_text().strip()


def count_posts(condition: LiteralString = "true", *values: object) -> int:
    """Return how many posts are stored that meet a condition in SQL."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        row = connection.execute(f"SELECT count(*) FROM moderation_post WHERE {condition}", values).fetchone()
        return int(row[0]) if row else 0


def processor_seconds() -> dict[str, float]:
    """Return the processor seconds of the parts so far, those of children that ended among them."""
    seconds = defaultdict[str, float](float)
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it ended meanwhile
            is_over, times = process.status() == psutil.STATUS_ZOMBIE, process.cpu_times()
            words = "" if is_over else " ".join(process.cmdline()[:7])
            name = next((name for name in _PARTS if name in words), "rest")
            seconds[name] += times.user + times.system
            if name == "reputation":  # its readers are replaced now and then
                seconds["evidence.child"] += times.children_user + times.children_system
    return seconds


def _services(state: State, *, has_web: bool, scoring_processes: int) -> list[Service]:
    services = []
    if scoring_processes:
        kind = application.Worker(name="scoring", queues=("scoring",), concurrency=scoring_processes)
        services.append(application.worker(kind, state=state))
    if has_web:
        services.append(application.web(port=int(os.environ["SPAMDESK_WEB_PORT"])))
    return services


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
