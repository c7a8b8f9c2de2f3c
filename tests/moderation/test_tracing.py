"""Traces: a post's way from its POST to its webhook is one trace, in the protocol that collectors take."""

import time
from collections.abc import Iterator
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
WORDS = (b"grey cat", b"secret-id", b"user-77", b"Rosa", b"social")


@pytest.fixture
def collector(
    fake_scorer: FakeScorer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Receiver]:
    """A collector that the settings name; it takes webhooks, too."""
    fake_scorer.default = 0.05
    monkeypatch.setattr("moderation.enqueue._send", lambda *_, **__: None)
    tracing._library.cache_clear()
    with receiver.listening() as collector:
        settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
        settings.TRACES_COLLECTOR = f"http://localhost:{collector.server_port}"
        yield collector
        tracing._library()[-1].shutdown()


def from_post_to_webhook(platform: Platform, *, url: str) -> Delivery:
    """Send a post, score it and deliver its verdict, as the processes would; return the delivery."""
    at = timezone.now()
    endpoint, _ = endpoints.add(platform=platform, url=url, at=at)
    _, key = api_keys.issue(platform=platform, name="k", scopes=Scope.values, expires_at=None, at=at)
    author = {"external_id": "user-77", "display_name": "Rosa"}
    post = {"external_id": "secret-id", "text": "Has anybody seen my grey cat?", "author": author}
    headers = {"Authorization": f"Bearer {key}"}
    APIClient(headers=headers).post("/api/v1/posts", post | {"posted_at": at.isoformat()}, format="json")
    score.run(revision_ids=[Revision.objects.get().pk], at=timezone.now())
    send.serve(endpoint_id=endpoint.pk, at=timezone.now())
    return Delivery.objects.get()


def spans(collector: Receiver) -> list[Any]:
    """Return what the collector got, once everything is sent."""
    tracing._library()[-1].force_flush()
    bodies = [
        body for (_, body), path in zip(collector.got, collector.paths, strict=True) if "traces" in path
    ]
    assert [word for word in WORDS for body in bodies if word in body] == []
    parts = [part for body in bodies for part in ExportTraceServiceRequest.FromString(body).resource_spans]
    sent = [span for part in parts for scope in part.scope_spans for span in scope.spans]
    return sorted(sent, key=lambda span: span.end_time_unix_nano)


def test_a_post_is_one_trace_from_post_to_webhook(platform: Platform, collector: Receiver) -> None:
    from_post_to_webhook(platform, url=collector.url)

    sent = spans(collector)
    assert [span.name for span in sent] == ["intake", "wait", "score", "decide", "route", "deliver"]
    assert len({span.trace_id for span in sent}) == 1
    assert [span.parent_span_id for span in sent] == [b"", *[sent[0].span_id] * 5]
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in sent)


@pytest.mark.parametrize("is_named", [True, False])
def test_nothing_is_sent_of_traces_that_the_sampler_drops_or_without_a_collector(
    *,
    platform: Platform,
    collector: Receiver,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    is_named: bool,
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0" if is_named else "1")
    settings.TRACES_COLLECTOR = settings.TRACES_COLLECTOR if is_named else ""

    from_post_to_webhook(platform, url=collector.url)

    assert spans(collector) == []


@pytest.mark.parametrize("queue", ["2048", "1"], ids=["away", "and a queue that the library refuses"])
def test_a_dead_collector_costs_no_time_and_loses_no_delivery(
    platform: Platform, collector: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch, queue: str
) -> None:
    settings.TRACES_COLLECTOR = "http://localhost:9"
    began = time.monotonic()

    with monkeypatch.context() as patch:
        patch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", queue)
        assert from_post_to_webhook(platform, url=collector.url).state == "delivered"
    assert time.monotonic() - began < 30  # six tries of ten seconds, if anything waited for them
