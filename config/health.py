"""Probes and metrics for machines: readiness, Prometheus metrics. The web server answers /healthz itself."""

import secrets
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from config.metrics import Collector
from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Part
from moderation.queries.health import lateness, processes


@require_safe
def dependencies(request: HttpRequest) -> JsonResponse:
    """Readiness: 200 if all parts and processes work and housekeeping is on time, else 503.

    `content` says what computes the live content model: after a promotion a card's may be the processor.
    `seen` has the seconds since each kind of process last worked, `missing` the kinds without a live process.
    `late` lists late items; load alone, or a platform's endpoint, causes no 503. `?only=database` checks the
    database alone: a load balancer should not remove a web process because Triton is down, a worker is
    missing or a sweep is late, since it still accepts posts and decisions.
    """
    only = request.GET.get("only")
    try:
        parts = [Part(only)] if only else probe.every()
    except ValueError:
        return JsonResponse({"only": f"must be one of {', '.join(Part)}"}, status=400)
    answers = probe.ask(parts)
    states: dict[str, Any] = {answer.part: _state(answer) for answer in answers}
    if problems := [answer.unusable for answer in answers if answer.unusable]:
        states["problem"] = problems[0]
    if engines := [answer.served_by for answer in answers if answer.served_by]:
        states["content"] = engines[0]
    is_well = all(answer.is_up for answer in answers)
    if not only and states[Part.DATABASE] == "ok":
        late = lateness.late(at=timezone.now())
        is_on_time = not any(row.is_housekeeping for row in late)
        states["housekeeping"] = "ok" if is_on_time else "late"
        states["late"] = [{"what": row.what, "seconds": row.seconds and round(row.seconds)} for row in late]
        kinds = processes.listed()
        missing = [process.name for process in kinds if process.is_missing]
        states["processes"] = "missing" if missing else "ok"
        states["missing"] = missing
        states["seen"] = {row.name: row.seconds and round(row.seconds) for row in kinds}
        is_well = is_well and is_on_time and not missing
    return JsonResponse(states, status=200 if is_well else 503)


def _state(answer: probe.Answer) -> str:
    if answer.is_up:
        return "ok"
    if answer.unusable:
        return "unusable"
    if answer.is_loading:
        return "loading"
    return "no_room" if answer.has_no_room else "unreachable"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer the metrics in Prometheus' text format; in production only with the token of the settings."""
    if settings.METRICS_TOKEN:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
            return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    elif settings.IS_PRODUCTION:
        raise Http404("SPAMDESK_METRICS_TOKEN is not set.")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector(at=timezone.now()))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
