"""Does one endpoint delay another, and how fast is a healthy one? Slow, dead and healthy receivers, for real.

make bench ARGS="webhooks --backlog 100000 --seconds 120"      (a product of its own; nothing else has to run)

Starts PostgreSQL, the broker, the workers of webhooks, housekeeping and scoring, and beat as the product
does; the receivers are HTTP servers in another process. First a healthy endpoint alone takes a backlog:
deliveries per second, and per second of processor time of the worker. Then one platform has an endpoint that
answers after 15 s, another one twenty that are dead (nobody listens, no answer at all, 500), all with a
backlog; meanwhile a third one gets single messages, sweeps and seals must be on time, and a scoring worker is
killed with its leases, whose posts must be scored.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from deploy.local import application, child
from deploy.local.places import ROOT, State
from lab import _stack

if TYPE_CHECKING:
    from deploy.local.supervisor import Supervisor
    from moderation.models import WebhookEndpoint

_ROWS_AT_ONCE = 5_000
_WORKERS = ("scoring", "housekeeping", "webhooks")
_PROBE_SECONDS = 1.0
_ON_TIME_SECONDS = 20.0
_SCORED_WITHIN_SECONDS = 90.0


def main() -> None:
    """Run it and print the table; exit code 1 where a promise is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deliveries", type=int, default=5_000, help="to the healthy endpoint, alone")
    parser.add_argument("--backlog", type=int, default=100_000, help="due at the slow and dead endpoints")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long the third platform is watched")
    options = parser.parse_args()
    os.environ["SPAMDESK_EGRESS_PRIVATE_HOSTS"] = "localhost"
    state = State(ROOT / ".state" / "bench" / "webhooks")
    with _stack.running(name="webhooks", has_triton=True) as supervisor, _receivers() as ports:
        import django

        django.setup()
        problems = _healthy(supervisor, state, ports, count=options.deliveries)
        with _tended(supervisor):
            problems += _beside_the_dead(ports, backlog=options.backlog, seconds=options.seconds)
    if problems:
        sys.exit("Broken: " + ", ".join(problems))


def _healthy(supervisor: Supervisor, state: State, ports: dict[str, int], *, count: int) -> list[str]:
    """Measure a healthy endpoint alone."""
    [endpoint] = _endpoints("healthy", [f"http://localhost:{ports['ok']}/"])
    _put([endpoint], count)
    kinds = [kind for kind in application.workers() if kind.name in _WORKERS]
    services = [*(application.worker(kind, state=state) for kind in kinds), application.beat()]
    for service in services:
        supervisor.launch(service)
    supervisor.wait_until_up([service.name for service in services])
    before = _sent(endpoint)
    began, cpu_before = time.monotonic(), _cpu("webhooks")
    _wait(lambda: _sent(endpoint) >= count, seconds=60 + count / 20)
    seconds, cpu = time.monotonic() - began, _cpu("webhooks") - cpu_before
    rate = (_sent(endpoint) - before) / seconds
    print(f"{'a healthy endpoint alone':<52}{rate:>8.0f} deliveries/s")
    print(f"{'':<52}{(_sent(endpoint) - before) / cpu:>8.0f} per second of the worker's processor time")
    return [] if rate >= 150 else [f"{rate:.0f} deliveries/s"]


def _beside_the_dead(ports: dict[str, int], *, backlog: int, seconds: float) -> list[str]:
    """Watch a third platform, the sweeps and a killed scoring worker beside such endpoints."""
    from moderation.queries.health import lateness, sweeps

    slow = _endpoints("slow", [f"http://localhost:{ports['slow']}/"])
    dead = _endpoints(
        "dead",
        [
            *(f"http://localhost:1/{number}" for number in range(7)),
            *(f"http://localhost:{ports['mute']}/{number}" for number in range(7)),
            *(f"http://localhost:{ports['broken']}/{number}" for number in range(6)),
        ],
    )
    _put([*slow, *dead], backlog)
    [third] = _endpoints("third", [f"http://localhost:{ports['ok']}/third"])
    killed_at, unscored_ids = _kill_scoring()
    waits, ages, seals, scored_after = [], [], [], None
    is_long = seconds >= _SCORED_WITHIN_SECONDS  # a shorter run ends before the lease of the killed one
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        [row] = _put([third], 1)
        began = time.monotonic()
        _wait(lambda row=row: row.__class__.objects.get(pk=row.pk).state == "delivered", seconds=60)
        waits.append(time.monotonic() - began)
        now = _now()
        rows = sweeps.listed(at=now)
        ages += [
            age.total_seconds()
            for sweep in rows
            if (age := sweep.age(at=now)) and sweep.period.total_seconds() <= 10
        ]
        oldest = lateness.oldest_unsealed_at()
        seals.append((now - oldest).total_seconds() if oldest else 0.0)
        if scored_after is None and not _unscored(unscored_ids):
            scored_after = time.monotonic() - killed_at
        time.sleep(max(0.0, _PROBE_SECONDS - waits[-1]))
    p50, p95 = np.percentile(waits, [50, 95])
    print(f"{'another platform, seconds until delivered: p50':<52}{p50:>8.2f}")
    print(f"{'p95':<52}{p95:>8.2f}   longest {max(waits):.2f} of {len(waits)}")
    print(
        f"{'oldest frequent sweep, seconds: p95':<52}"
        f"{np.percentile(ages, 95):>8.1f}   longest {max(ages):.1f}"
    )
    print(f"{'oldest unsealed audit entry, seconds':<52}{max(seals):>8.1f}")
    line = f"{scored_after or float('nan'):>8.1f}   of {len(unscored_ids)}"
    print(f"{'posts of the killed scoring worker scored after, s':<52}{line}")
    print(f"{'messages in the queue webhooks at the end':<52}{_messages():>8}")
    return [
        *([f"p95 {p95:.1f} s"] if p95 >= 2 else []),
        *([f"a sweep after {max(ages):.0f} s"] if max(ages) > _ON_TIME_SECONDS else []),
        *([f"a seal after {max(seals):.0f} s"] if max(seals) > _ON_TIME_SECONDS else []),
        *(["posts not scored"] if is_long and (scored_after or 1e9) > _SCORED_WITHIN_SECONDS else []),
    ]


def _endpoints(name: str, urls: list[str]) -> list[WebhookEndpoint]:
    from moderation.models import Delivery, Platform
    from moderation.operations.webhooks import endpoints as webhooks_endpoints

    platform, _ = Platform.objects.get_or_create(slug=name, defaults={"name": name, "created_at": _now()})
    Delivery.objects.filter(platform=platform).delete()
    platform.webhook_endpoints.all().delete()
    return [webhooks_endpoints.add(platform=platform, url=url, at=_now())[0] for url in urls]


def _put(endpoints: list[WebhookEndpoint], count: int) -> list[Any]:
    """Make deliveries due now, in turn at each endpoint, and ask for a turn as the outbox does."""
    from django.db import transaction

    from moderation import enqueue
    from moderation.models import Delivery

    now, deliveries = _now(), []
    body = {"type": "decision.created", "timestamp": now.isoformat(), "data": {"id": "1", "words": "x" * 300}}
    for start in range(0, count, _ROWS_AT_ONCE):
        rows = [
            Delivery(
                platform_id=endpoint.platform_id,
                endpoint=endpoint,
                event="decision.created",
                body=body,
                created_at=now,
                next_attempt_at=now,
            )
            for number in range(start, min(count, start + _ROWS_AT_ONCE))
            for endpoint in [endpoints[number % len(endpoints)]]
        ]
        deliveries = Delivery.objects.bulk_create(rows)
    with transaction.atomic():
        for endpoint in endpoints:
            enqueue.deliveries(endpoint_id=endpoint.pk)
    return deliveries


def _kill_scoring() -> tuple[float, list[int]]:
    """Let the scoring worker claim posts, kill it while it holds them; return when, and which."""
    from moderation.models import Platform, Revision
    from moderation.operations.posts import ingest
    from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost

    platform = Platform.objects.get(slug="third")
    for process in _processes("scoring"):
        os.kill(process, signal.SIGSTOP)
    run = f"killed-{time.time():.0f}"
    posts = [
        IncomingPost(
            external_id=f"{run}-{n}",
            text=f"{run} {n}",
            posted_at=_now(),
            author=IncomingAuthor(external_id=run),
        )
        for n in range(60)
    ]
    ids = [answer.post_id for answer in ingest.accept(platform=platform, posts=posts, at=_now())]  # type: ignore[union-attr]  # all are new
    # As if it had claimed them the moment before it died: its lease ends in 60 s.
    revisions = Revision.objects.filter(post__in=ids)
    revisions.update(score_state="scoring", lease_until=_now() + timedelta(seconds=60), attempts=1)
    for process in _processes("scoring"):
        os.kill(process, signal.SIGKILL)
    return time.monotonic(), list(revisions.values_list("pk", flat=True))


def _unscored(revision_ids: list[int]) -> int:
    from moderation.models import Revision

    return Revision.objects.filter(pk__in=revision_ids, score_state__in=("pending", "scoring")).count()


def _sent(endpoint: WebhookEndpoint) -> int:
    from moderation.models import Delivery

    return Delivery.objects.filter(endpoint=endpoint, state="delivered").count()


def _messages() -> int:
    from moderation import enqueue

    return enqueue.messages().get("webhooks", 0)


def _now() -> datetime:
    from django.utils import timezone

    return timezone.now()


def _wait(holds: Any, *, seconds: float) -> None:
    ends_at = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends_at:
        time.sleep(0.02)


@contextmanager
def _tended(supervisor: Supervisor) -> Iterator[None]:
    """Let the supervisor restart dead processes, as under `make run`."""
    is_over = threading.Event()

    def tend() -> None:
        while not is_over.is_set():
            supervisor.tend()

    thread = threading.Thread(target=tend, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _processes(worker: str) -> list[int]:
    marked = child.leftovers(mark=os.environ["SPAMDESK_STATE_DIR"])
    return [pid for pid in marked if f"--hostname={worker}@" in Path(f"/proc/{pid}/cmdline").read_text()]


def _cpu(worker: str) -> float:
    times = [psutil.Process(process).cpu_times() for process in _processes(worker)]
    return float(sum(usage.user + usage.system for usage in times))


@contextmanager
def _receivers() -> Iterator[dict[str, int]]:
    """Run the receivers in another process; yield their ports."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lab._receivers"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield {
            name: int(port) for name, port in (pair.split("=") for pair in process.stdout.readline().split())
        }
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
