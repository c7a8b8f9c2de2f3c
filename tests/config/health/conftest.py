"""Probes as machines ask them, with parts that are down when a test says so."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from moderation.models import Heartbeat, SweepRun
from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Answer, Part


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch) -> set[Part]:
    """The parts that do not answer; the others do."""
    found: set[Part] = set()
    answers = {part: Answer(part=part, is_up=True) for part in Part}
    answers[Part.TRITON] = Answer(part=Part.TRITON, is_up=True, served_by="TensorRT, GPU")
    monkeypatch.setattr(
        probe,
        "ask",
        lambda parts: [Answer(part=part, is_up=False) if part in found else answers[part] for part in parts],
    )
    return found


@pytest.fixture
def on_time(db: None, settings: Settings) -> None:
    """Every sweep ran, and every process was seen just now."""
    now = timezone.now()
    SweepRun.objects.bulk_create(
        SweepRun(sweep=name, started_at=now, ended_at=now, succeeded_at=now)
        for name in settings.SWEEP_SECONDS
    )
    Heartbeat.objects.all().delete()  # a web server of another test may have left its own
    queues = [queue for own in settings.WORKERS.values() for queue in own]
    Heartbeat.objects.bulk_create(Heartbeat(sender=sender, at=now) for sender in [*queues, "beat", "web"])


@pytest.fixture
def scraped(client: Client, down: set[Part], db: None) -> Callable[[], dict[str, float]]:
    """Read /metrics as Prometheus does; a sample's name with its labels, and its value."""

    def scrape() -> dict[str, float]:
        body = client.get("/metrics").content.decode()
        return {
            sample.name + "".join(f" {label}" for label in sample.labels.values()): sample.value
            for family in text_string_to_metric_families(body)
            for sample in family.samples
        }

    return scrape
