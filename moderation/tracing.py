"""Traces of posts by OpenTelemetry, for a collector that the settings name; without one nothing is made.

Each revision has one trace, whose id every process derives from it: nothing is stored or sent along. Spans
hold numbers and states: no words, no names, none of the platform's own ids.
"""

import secrets
from datetime import datetime
from functools import cache, partial
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from moderation.models import Revision

now = timezone.now
"""The clock of spans: nothing else may depend on it."""


def span(
    name: str, *, of: Revision, began_at: datetime, ended_at: datetime | None = None, **told: Any
) -> None:
    """Send a span of a revision once the transaction commits; it ends now if not told otherwise.

    In the background: while the collector does not answer spans are dropped, and nothing waits.
    """
    if settings.TRACES_COLLECTOR:
        told |= {"post": str(of.post_id), "revision": of.number}
        times = began_at, ended_at or now()
        # No partial: Django reads the name of what failed, and a partial has none.
        transaction.on_commit(lambda: _send(name, told, *times), robust=True)


def _send(name: str, told: dict[str, Any], *times: datetime) -> None:
    api, sdk, provider, processor = _library()
    about = f"trace {told['post']}/{told['revision']}".encode()
    ids = blake2b(about, digest_size=24, key=settings.SECRET_KEY.encode()[:64]).digest()
    trace_id, first_id = int.from_bytes(ids[:16]), int.from_bytes(ids[16:])
    if provider.sampler.should_sample(None, trace_id, name).decision.is_sampled():
        context = partial(api.SpanContext, trace_id, is_remote=False, trace_flags=api.TraceFlags(1))
        first, own = context(span_id=first_id), context(span_id=secrets.randbits(64))
        place = {"context": first} if name == "intake" else {"context": own, "parent": first}
        attributes = {f"spamdesk.{key}": value for key, value in told.items()}
        made = partial(sdk.ReadableSpan, name, resource=provider.resource, attributes=attributes, **place)
        began, ended = (int(at.timestamp() * 1e9) for at in times)
        processor.on_end(made(start_time=began, end_time=ended))


@cache
def _library() -> tuple[Any, Any, Any, Any]:
    """Return the library, what samples and names spans, and what sends them; each process makes its own."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk import trace as sdk
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(endpoint=f"{settings.TRACES_COLLECTOR}/v1/traces")
    return trace, sdk, sdk.TracerProvider(shutdown_on_exit=False), BatchSpanProcessor(exporter)
