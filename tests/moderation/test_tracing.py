"""Traces: a post's way from its POST to its webhook is one trace, in the protocol that collectors take."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_django import Settings
from rest_framework.test import APIClient

from moderation import tracing
from moderation.models import Delivery, Platform, Revision
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints, send
from tests.moderation import receiver
from tests.moderation.fakes import FakeScorer
from tests.moderation.receiver import Receiver

pytestmark = pytest.mark.django_db(transaction=True)
SENT = {
    "external_id": "secret-id",
    "text": "Has anybody seen my grey cat?",
    "author": {"external_id": "user-77", "display_name": "Rosa"},
}
WORDS = (b"grey cat", b"secret-id", b"user-77", b"Rosa", b"social")
Go = Callable[[], Delivery]


@pytest.fixture
def collector() -> Iterator[Receiver]:
    with receiver.listening() as listening:
        yield listening


@pytest.fixture
def from_post_to_webhook(
    platform: Platform, fake_scorer: FakeScorer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Go]:
    """Send a post, score it and deliver its verdict, as the processes would; return the delivery."""
    fake_scorer.default = 0.05
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
    monkeypatch.setattr("moderation.enqueue._send", lambda *_, **__: None)
    tracing._sender.cache_clear()
    at = timezone.now()
    _, key = api_keys.issue(platform=platform, name="k", scopes=Scope.values, expires_at=None, at=at)
    client = APIClient(headers={"Authorization": f"Bearer {key}", "X-Request-ID": "request-1"})

    def go() -> Delivery:
        endpoint, _ = endpoints.add(platform=platform, url=hook.url, at=at)
        answer = client.post("/api/v1/posts", SENT | {"posted_at": at.isoformat()}, format="json")
        assert answer.status_code == 202
        score.run(revision_ids=[Revision.objects.get().pk], at=timezone.now())
        send.serve(endpoint_id=endpoint.pk, at=timezone.now())
        return Delivery.objects.get()

    with receiver.listening() as hook:
        yield go
    if tracing._sender.cache_info().currsize:
        tracing._sender()[1].shutdown()


def spans(collector: Receiver) -> list[Any]:
    """Return what the collector got, once everything is sent."""
    tracing._sender()[1].force_flush()
    requests = [ExportTraceServiceRequest.FromString(body) for _, body in collector.got]
    scopes = [scope for one in requests for part in one.resource_spans for scope in part.scope_spans]
    return sorted(
        (span for scope in scopes for span in scope.spans), key=lambda span: span.end_time_unix_nano
    )


def test_a_post_is_one_trace_from_post_to_webhook(
    from_post_to_webhook: Go, collector: Receiver, settings: Settings
) -> None:
    settings.TRACES_COLLECTOR = f"http://localhost:{collector.server_port}"

    from_post_to_webhook()

    sent = spans(collector)
    assert [span.name for span in sent] == ["intake", "wait", "score", "decide", "route", "deliver"]
    assert len({span.trace_id for span in sent}) == 1
    assert [span.parent_span_id for span in sent] == [b"", *[sent[0].span_id] * 5]
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in sent)
    assert collector.paths == ["/v1/traces"]
    assert [word for word in WORDS for _, body in collector.got if word in body] == []


@pytest.mark.parametrize("is_named", [True, False])
def test_nothing_is_sent_of_traces_that_the_sampler_drops_or_without_a_collector(
    *,
    from_post_to_webhook: Go,
    collector: Receiver,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    is_named: bool,
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0" if is_named else "1")
    settings.TRACES_COLLECTOR = f"http://localhost:{collector.server_port}" if is_named else ""

    from_post_to_webhook()

    assert spans(collector) == []


def test_a_dead_collector_costs_no_time_and_loses_no_delivery(
    from_post_to_webhook: Go, settings: Settings
) -> None:
    settings.TRACES_COLLECTOR = "http://localhost:9"
    began = time.monotonic()

    delivery = from_post_to_webhook()

    assert delivery.state == "delivered"
    assert time.monotonic() - began < 30  # six tries of ten seconds, if anything waited for them
