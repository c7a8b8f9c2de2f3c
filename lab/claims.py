"""How long does a moderator wait for the next case, with 200,000 open cases and 50 moderators at once?

make bench ARGS=claims      (in the database that scoring_scale has filled; run that first)

Twice: at the operation, which is what is promised, and over HTTP, as a client of the API waits for it, with
clients on the same processors.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import django
import numpy as np

from lab import _stack

_PROMISE_MS = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--stored", type=int, default=1_000_000)
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--moderators", type=int, default=50)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds from one case to the next")
    parser.add_argument("--seconds", type=float, default=40.0)


def main(options: argparse.Namespace) -> None:
    """Fill up the queue, let everybody work, print; exit code 1 where the promise is broken."""
    with _stack.running(name=f"scale-{options.stored}", has_web=True):
        django.setup()
        from lab import _million
        from moderation.models import Case, Post

        _million.settle(cases=options.cases)
        posts, cases = Post.objects.count(), Case.objects.filter(state="open").count()
        print(f"{posts:,} posts, {cases:,} open cases; {options.moderators} moderators claim and decide")
        p95 = _told("at the operation", _shift(options), seconds=options.seconds)
        _told("over HTTP", _shift_over_http(options), seconds=options.seconds)
    sys.exit(0 if p95 <= _PROMISE_MS else 1)


def _told(where: str, took: list[float], *, seconds: float) -> float:
    """Print what claims took, in milliseconds; return the 95th percentile."""
    p50, p95, p99 = np.percentile(took, (50, 95, 99))
    print(
        f"{where}: {len(took)} claims, {len(took) / seconds:.0f}/s: p50 {p50:.1f} p95 {p95:.1f}"
        f" p99 {p99:.1f} ms {'ok' if p95 <= _PROMISE_MS else f'OVER {_PROMISE_MS:g}'}"
    )
    return float(p95)


def _shift(options: argparse.Namespace) -> list[float]:
    """Return the milliseconds of every claim."""
    from moderation.models import User
    from moderation.models.users import Role

    people = [
        User.objects.get_or_create(username=f"bench-{number}", defaults={"role": Role.MODERATOR})[0]
        for number in range(options.moderators)
    ]
    # As a web process has them: so many threads answer everybody.
    turn = threading.BoundedSemaphore(8)
    begin = time.monotonic() + 1

    def work(place: int) -> list[float]:
        took = []
        due = begin + options.pause * place / len(people)
        while due < begin + options.seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            with turn:
                took.append(_claim_and_decide(people[place]))
            due += options.pause
        return took

    with ThreadPoolExecutor(len(people)) as pool:
        return [ms for took in pool.map(work, range(len(people))) for ms in took]


def _shift_over_http(options: argparse.Namespace) -> list[float]:
    """Return the milliseconds of every claim, from the request to its answer, decisions going on beside.

    The first of each person is left out: it finds connections closed and a web process just started.
    """
    from lab import _reviewers

    keys, is_over = _reviewers.hire(options.moderators), threading.Event()
    people = [
        _reviewers.Reviewer(secret=secret, pause_seconds=options.pause, is_over=is_over) for _, secret in keys
    ]
    for person in people:
        person.start()
        time.sleep(options.pause / len(people))
    time.sleep(options.seconds - options.pause)
    is_over.set()
    for person in people:
        person.join()
    _reviewers.dismiss(keys)
    return [1000 * seconds for person in people for seconds in person.claimed[1:]]


def _claim_and_decide(moderator: object) -> float:
    from django.db import connection

    from moderation.models import User
    from moderation.models.decisions import Verdict
    from moderation.operations.cases import claims, review

    assert isinstance(moderator, User)
    at, began = datetime.now(UTC), time.perf_counter()
    [case] = claims.claim_next(moderator=moderator, at=at)
    took = 1000 * (time.perf_counter() - began)
    review.decide(
        case_id=case.pk,
        case_version=case.version,
        moderator=moderator,
        verdict=Verdict.SPAM,
        at=datetime.now(UTC),
    )
    connection.close()  # back to the pool, as after a request
    return took
