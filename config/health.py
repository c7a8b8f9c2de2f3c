"""Probes: is the process there, and can it reach what it needs? Says which one it cannot, never why."""

from collections.abc import Callable

from celery import current_app
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from moderation import scorer


@require_safe
def process(_request: HttpRequest) -> HttpResponse:
    """Answer that the process serves requests."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def dependencies(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if database, broker and Triton work, else 503; each by name."""
    states = {"database": _works(_ask_database), "broker": _works(_ask_broker), "triton": _works(_ask_triton)}
    return JsonResponse(states, status=200 if set(states.values()) == {"ok"} else 503)


def _works(ask: Callable[[], object]) -> str:
    try:
        ask()
    except Exception:  # noqa: BLE001 - a probe reports every failure as the same fact
        return "unreachable"
    return "ok"


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select 1")


def _ask_broker() -> None:
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)


def _ask_triton() -> None:
    # Triton calls itself ready when its python process is dead: only an answer proves it.
    scorer.content().probabilities(["ready?"])
