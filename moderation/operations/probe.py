"""Ask the parts that the product leans on whether they work, all at once, within two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Overdue
from dataclasses import dataclass
from enum import StrEnum

from celery import current_app
from django.db import connection

from moderation import scorer

TIMEOUT_SECONDS = 2.0


class Part(StrEnum):
    """What the product leans on, by the name that probes and metrics use."""

    DATABASE = "database"
    BROKER = "broker"
    WORKERS = "workers"
    TRITON = "triton"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether a part works, and what it told in words; never why it does not: that is for the log."""

    part: Part
    is_up: bool
    told: str


def ask(parts: Sequence[Part]) -> list[Answer]:
    """Ask the parts side by side: one that hangs must not hide the others."""
    pool = ThreadPoolExecutor(max_workers=max(1, len(parts)))
    asked = [(part, time.monotonic(), pool.submit(_asked, part)) for part in parts]
    answers = [_answer(part, began_at, future) for part, began_at, future in asked]
    pool.shutdown(wait=False, cancel_futures=True)
    return answers


def _asked(part: Part) -> str:
    try:
        return _ASKED[part]()
    finally:
        # This thread's own, which dies with it: who is not given back is missing in the pool for ever. Asking
        # Triton takes one, too, to look up the live release.
        connection.close()


def _answer(part: Part, began_at: float, future: Future[str]) -> Answer:
    left_seconds = max(0.05, began_at + TIMEOUT_SECONDS - time.monotonic())
    try:
        return Answer(part=part, is_up=True, told=future.result(timeout=left_seconds))
    except Overdue:
        return Answer(part=part, is_up=False, told=f"no answer within {TIMEOUT_SECONDS:.0f} s")
    except Exception:  # noqa: BLE001 - a probe reports every failure as the same fact
        return Answer(part=part, is_up=False, told="does not answer")


def _ask_database() -> str:
    began_at = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return _answered(began_at)


def _ask_broker() -> str:
    began_at = time.perf_counter()
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=1)
    return _answered(began_at)


def _ask_workers() -> str:
    answers = current_app.control.ping(timeout=0.8)
    if not answers:
        raise LookupError
    names = sorted(name.split("@", 1)[0] for answer in answers for name in answer)
    return f"{len(names)} answering: {', '.join(names)}"


def _ask_triton() -> str:
    # Triton calls itself ready when its python process is dead: only an answer proves it.
    began_at = time.perf_counter()
    scorer.content().probabilities(["ready?"])
    return _answered(began_at)


def _answered(began_at: float) -> str:
    return f"answers in {(time.perf_counter() - began_at) * 1000:.0f} ms"


_ASKED: dict[Part, Callable[[], str]] = {
    Part.DATABASE: _ask_database,
    Part.BROKER: _ask_broker,
    Part.WORKERS: _ask_workers,
    Part.TRITON: _ask_triton,
}
