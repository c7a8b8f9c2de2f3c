"""Does a poller read each decision once and in order, whoever is stopped? Seven writers, four pollers.

make bench ARGS="feed --rounds 20 --campaign 10000"      (a product of its own in a new folder; stop others)

First posts alike are sent and gathered into one campaign. In each round one process is stopped (SIGSTOP)
for ten seconds and let go on: in turn a web process, a scoring worker, each other worker, a connection's
process of PostgreSQL, the broker, beat. Meanwhile posts come one by one, in bulk, for a verdict and through
Akismet's endpoint, people decide, campaigns are decided as one, and decisions are reversed and undone. Four
pollers read by cursor with limits of 1, 7, 100 and 500. In the end what they read is compared with the
database; ends with 1 unless nothing was skipped, doubled, out of order or told although it was undone. The
posts are made up.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local import ports
from deploy.local.places import State
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from lab import _alike, _kills
from lab._feed_readers import LIMITS, Found, Poller, compare, wait_until_read
from lab._feed_writers import Writers
from tests.faults.stand import Stand


class Patient(Stand):
    """A product on a machine that has other things to do."""

    def wait_until(self, holds: Callable[[], bool], what: str, *, patience_seconds: float = 300) -> None:
        """Wait until it holds; fails with the supervisor's message."""
        super().wait_until(holds, what, patience_seconds=patience_seconds)


PLATFORM = "demo-social"
STOPPED = ("web", "scoring", "background", "backend", "webhooks", "broker", "housekeeping", "beat")
_WORDS = {"web": "config.server", "broker": "valkey-server", "beat": "--pidfile="}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument(
        "--campaign", type=int, default=10_000, help="posts alike: gathered first, then sent again and again"
    )
    parser.add_argument("--stop-seconds", type=float, default=10.0)


def main(options: argparse.Namespace) -> None:
    """Run the rounds, print what each poller read; exit code 1 where one read wrongly."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-feed-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        with _triton(Path(folder)):
            results = run(
                Patient(Path(folder) / "state"),
                rounds=options.rounds,
                campaign=options.campaign,
                stop_seconds=options.stop_seconds,
                say=print,
            )
    if not all(result.is_whole for result in results):
        sys.exit("Broken: a poller did not read each decision once and in order.")


@contextmanager
def _triton(folder: Path) -> Iterator[None]:
    """Start Triton, unless the environment names one."""
    if os.environ.get("TRITON_URL"):
        yield
        return
    state = State(folder / "triton")
    triton = Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free())
    with Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=dict(os.environ), say=print
    ) as supervisor:
        os.environ["TRITON_URL"] = triton.url
        supervisor.bring_up(triton.service())
        yield


def run(
    stand: Stand, *, rounds: int, campaign: int, stop_seconds: float, say: Callable[[str], object]
) -> list[Found]:
    """Start the product, write, read and stop processes; return what each poller found."""
    stand.start()
    try:
        stand.seed()
        if campaign:
            with stand.api() as client:
                _alike.gather(client, run="first", count=campaign, say=say)
        writers = Writers(stand, campaign=campaign)
        pollers = [Poller(stand, limit=limit, says=writers.told) for limit in LIMITS]
        for poller in pollers:
            poller.start()
        for number in range(rounds):
            _stop_one(stand, STOPPED[number % len(STOPPED)], seconds=stop_seconds, say=say)
        writers.stop()
        wait_until_read(stand, pollers, platform=PLATFORM)
        for poller in pollers:
            poller.stop()
        results = compare(stand, pollers, platform=PLATFORM)
        _print(results, writers, say=say)
        return results
    finally:
        stand.end()


def _stop_one(stand: Stand, part: str, *, seconds: float, say: Callable[[str], object]) -> None:
    """Stop the youngest process of a part for so long, then let others work for a third of it."""
    process_ids = _processes(stand, part)
    if not process_ids:
        return
    process_id = process_ids[-1]
    os.kill(process_id, signal.SIGSTOP)
    time.sleep(seconds)
    try:
        os.kill(process_id, signal.SIGCONT)
    except ProcessLookupError:
        say(f"{part}: the supervisor had replaced it")
    say(f"{part} ({process_id}) was stopped for {seconds:g} s")
    time.sleep(seconds / 3)


def _processes(stand: Stand, part: str) -> list[int]:
    if part == "backend":
        query = (
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return sorted(row[0] for row in stand.rows(query + " AND state <> 'idle' UNION ALL " + query))
    if part in _WORDS:
        return sorted(pid for pid in stand.processes() if _WORDS[part] in _kills.command(pid))
    return stand.workers(part)


def _print(found: list[Found], writers: Writers, *, say: Callable[[str], object]) -> None:
    for kind, count in sorted(writers.made.items()):
        say(f"{kind:<40}{count:>8}")
    say(f"posts of decided campaigns: {writers.campaigns}")
    for result in found:
        say(str(result))
