"""Probe the parts that the product depends on, all at once, within two seconds."""

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Overdue
from dataclasses import dataclass
from enum import StrEnum

from celery import current_app
from django.conf import settings
from django.db import connection

from moderation import scorer
from moderation.operations.infrastructure import file_stores, outage
from scoring.content import load_client

TIMEOUT_SECONDS = 2.0
LEAST_FREE_BYTES = 64 * 2**20
"""With less, the state folder counts as full: exports, logs and the journal of erasures still need some."""
_loaded = threading.Event()
"""This process has loaded a release: before, an answer that is late says nothing about release and Triton."""


class Part(StrEnum):
    """A part that the product depends on, by its name in probes and metrics."""

    DATABASE = "database"
    BROKER = "broker"
    RELEASE = "release"
    TRITON = "triton"
    STATE = "state"
    STORE = "store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether a part works, and its latency.

    The reason of a failure is logged, not answered, except a full disk and, in `unusable`, why no release can
    score with this code. With `is_loading` the part waits for this process to load its release.

    `latency_ms` is None without an answer.
    """

    part: Part
    is_up: bool
    latency_ms: float | None = None
    is_overdue: bool = False
    is_loading: bool = False
    has_no_room: bool = False
    unusable: str = ""
    served_by: str = ""
    """What computes the live content model: `TensorRT, GPU`; empty for other parts."""


class NoRoom(Exception):
    """The part answers, but its disk is full."""


def every() -> list[Part]:
    """Return the parts of this installation: a store beside the state folder only where one is named."""
    return [part for part in Part if part != Part.STORE or settings.EVIDENCE_STORE]


def ask(parts: Sequence[Part]) -> list[Answer]:
    """Probe the parts in threads: one that hangs must not hide the others."""
    if Part.TRITON in parts:
        load_client()
    is_first = not _loaded.is_set()
    pool = ThreadPoolExecutor(max_workers=max(1, len(parts)))
    probes = [(part, time.monotonic(), pool.submit(_asked, part)) for part in parts]
    answers = [_answer(part, began_at, future, is_first=is_first) for part, began_at, future in probes]
    # Not waited for: a probe that hangs in a C library cannot be stopped, and the answer must not hang with
    # it.
    pool.shutdown(wait=False, cancel_futures=True)
    return answers


def _asked(part: Part) -> Answer:
    began_at = time.perf_counter()
    try:
        served_by = _ASKED[part]() or ""
        latency_ms = (time.perf_counter() - began_at) * 1000
        return Answer(part=part, is_up=True, latency_ms=latency_ms, served_by=served_by)
    finally:
        # This thread's own connection: without the close the pool would lose it for ever. Probing
        # Triton uses one, too, to look up the live release.
        connection.close()


def _answer(part: Part, began_at: float, future: Future[Answer], *, is_first: bool) -> Answer:
    left_seconds = max(0.05, began_at + TIMEOUT_SECONDS - time.monotonic())
    try:
        return future.result(timeout=left_seconds)
    except Overdue:
        waits = is_first and part in (Part.RELEASE, Part.TRITON)
        return Answer(part=part, is_up=False, is_overdue=True, is_loading=waits)
    except NoRoom:
        return Answer(part=part, is_up=False, has_no_room=True)
    except scorer.UNUSABLE as reason:
        return Answer(part=part, is_up=False, unusable=str(reason))
    except Exception:  # noqa: BLE001 - a probe reports every failure as the same fact
        return Answer(part=part, is_up=False)


def is_standby() -> bool:
    """Return whether the database is a standby, which takes no writes."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_is_in_recovery()")
        [answer] = cursor.fetchone()
    return bool(answer)


def _ask_database() -> None:
    if is_standby():
        raise LookupError
    if outage.was_lately(outage.NO_ROOM):
        raise NoRoom  # a full disk still allows reads: only recently refused writes reveal it


def _ask_broker() -> None:
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=1)


def _ask_release() -> None:
    scorer.release()
    _loaded.set()


def _ask_triton() -> str:
    try:
        content = scorer.content()
        _loaded.set()
    except scorer.UNUSABLE:  # which is not Triton's fault: _ask_release says it
        content = scorer.current().content_of(scorer.shipped().id)
    # Triton reports ready even if its Python backend process is dead: only an inference proves it.
    content.probabilities(["ready?"])
    return content.served_by()


def _ask_state() -> None:
    # A disk can be full for this user before it is full (quota, reserved blocks), or read-only: only a write
    # tells.
    try:
        with tempfile.TemporaryFile(dir=settings.STATE_DIR) as file:
            file.write(b"\0" * 4096)
    except OSError as refused:
        raise NoRoom from refused
    if shutil.disk_usage(settings.STATE_DIR).free < LEAST_FREE_BYTES:
        raise NoRoom


def _ask_store() -> None:
    file_stores.store().check()


_ASKED: dict[Part, Callable[[], str | None]] = {
    Part.DATABASE: _ask_database,
    Part.BROKER: _ask_broker,
    Part.RELEASE: _ask_release,
    Part.TRITON: _ask_triton,
    Part.STATE: _ask_state,
    Part.STORE: _ask_store,
}
