"""The health page: what is up, how long the backlogs are. Probes for machines stand beside the settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Overdue
from dataclasses import dataclass

from celery import current_app
from django.db import connection
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation import scorer
from moderation.queries import health
from moderation.web import access

_TIMEOUT_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A part the desk leans on; `meaning` says what suffers while it is away."""

    name: str
    is_up: bool
    told: str
    meaning: str


@require_safe
@access.signed_in
def page(request: access.DeskRequest) -> HttpResponse:
    """Show services and backlogs; htmx asks again for the inner part."""
    at = timezone.now()
    services = _services()
    context = {
        "section": "health",
        "at": at,
        "services": services,
        "is_all_up": all(service.is_up for service in services),
        "backlogs": [(backlog, backlog.is_late(at=at)) for backlog in health.backlogs(at=at)],
    }
    return render(request, "health.html#state" if request.htmx else "health.html", context)


def _services() -> list[Service]:
    """Ask all at once: one that hangs must not hide the others."""
    checks: tuple[tuple[str, Callable[[], str], str], ...] = (
        ("PostgreSQL", _ask_database, "nothing works"),
        ("Broker", _ask_broker, "scoring and deliveries wait; nothing is lost"),
        ("Workers", _ask_workers, "posts wait unscored; nothing is lost"),
        ("Triton", _ask_triton, "posts are scored without their text and go to humans"),
    )
    pool = ThreadPoolExecutor(max_workers=len(checks))
    asked = [(name, meaning, time.monotonic(), pool.submit(check)) for name, check, meaning in checks]
    services = [_service(name, meaning, began_at, answer) for name, meaning, began_at, answer in asked]
    pool.shutdown(wait=False, cancel_futures=True)
    return services


def _service(name: str, meaning: str, began_at: float, answer: Future[str]) -> Service:
    left_seconds = max(0.05, began_at + _TIMEOUT_SECONDS - time.monotonic())
    try:
        return Service(name=name, is_up=True, told=answer.result(timeout=left_seconds), meaning=meaning)
    except Overdue:
        return Service(
            name=name, is_up=False, told=f"no answer within {_TIMEOUT_SECONDS:.0f} s", meaning=meaning
        )
    except Exception:  # noqa: BLE001 - the page reports every failure as the same fact
        return Service(name=name, is_up=False, told="does not answer", meaning=meaning)


def _ask_database() -> str:
    began_at = time.perf_counter()
    try:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
    finally:
        connection.close()  # this thread's own connection goes back to the pool
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
