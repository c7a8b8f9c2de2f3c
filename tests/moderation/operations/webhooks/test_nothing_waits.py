"""Trial 27, small: beside dead and slow endpoints another platform is told at once, by a real worker."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.db import transaction
from django.utils import timezone

from moderation import enqueue
from moderation.models import Delivery, EndpointCircuit, Platform, WebhookEndpoint
from moderation.models.webhooks import CircuitState
from moderation.operations.webhooks import endpoints
from tests.django_fixtures import working
from tests.moderation import receiver
from tests.moderation.receiver import Receiver

pytestmark = [pytest.mark.whole, pytest.mark.faults, pytest.mark.xdist_group("product")]

DEAD, EACH = 20, 50
PATIENCE_SECONDS = 60


@pytest.fixture
def worker(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    monkeypatch.setenv("SPAMDESK_EGRESS_PRIVATE_HOSTS", "localhost")
    with working(queues=("webhooks",), pool="threads", concurrency=32) as process:
        yield process


@pytest.fixture
def mute() -> Iterator[str]:
    """An address that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        yield f"http://localhost:{listener.getsockname()[1]}/"


@pytest.fixture
def servers() -> Iterator[Callable[..., Receiver]]:
    with ExitStack() as running:

        def start(**given: object) -> Receiver:
            server = running.enter_context(receiver.listening())
            for name, value in given.items():
                setattr(server, name, value)
            return server

        yield start


def put(endpoint: WebhookEndpoint, count: int) -> list[Delivery]:
    """Make deliveries due, as the outbox does."""
    now = timezone.now()
    with transaction.atomic():
        rows = Delivery.objects.bulk_create(
            Delivery(
                platform_id=endpoint.platform_id,
                endpoint=endpoint,
                event="decision.created",
                body={},
                created_at=now,
                next_attempt_at=now,
            )
            for _ in range(count)
        )
        enqueue.deliveries(endpoint_id=endpoint.pk)
    return rows


def platform(name: str, *urls: str, settings: object) -> list[WebhookEndpoint]:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)  # type: ignore[attr-defined]  # pytest-django's fixture
    row = Platform.objects.create(slug=name, name=name, created_at=timezone.now())
    return [endpoints.add(platform=row, url=url, at=timezone.now())[0] for url in urls]


def wait_until(holds: Callable[[], bool]) -> float:
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < PATIENCE_SECONDS
        time.sleep(0.02)
    return time.monotonic() - began


def test_dead_and_slow_endpoints_delay_nobody(
    worker: subprocess.Popen[bytes], servers: Callable[..., Receiver], mute: str, settings: object
) -> None:
    broken, slow, well = servers(status=500), servers(wait_seconds=15.0), servers()
    dead = platform(
        "dead",
        *(f"http://localhost:1/{number}" for number in range(7)),
        *(f"{mute}{number}" for number in range(7)),
        *(f"{broken.url}{number}" for number in range(DEAD - 14)),
        settings=settings,
    )
    for endpoint in [*dead, *platform("slow", slow.url, settings=settings)]:
        put(endpoint, EACH)
    [third] = platform("well", well.url, settings=settings)

    waited = []
    for _ in range(12):
        [row] = put(third, 1)
        waited.append(wait_until(lambda row=row: Delivery.objects.get(pk=row.pk).state == "delivered"))  # type: ignore[misc]  # bound at once
        time.sleep(0.3)

    # Some 0.1 s on a machine of its own; behind one call that times out it would be 10 s.
    assert sorted(waited)[-2] < 5
    wait_until(lambda: EndpointCircuit.objects.filter(state=CircuitState.OPEN).exists())
    untouched = Delivery.objects.filter(endpoint__in=dead, attempts=0, state="waiting")
    assert untouched.count() > DEAD * (EACH - 10)
    assert enqueue.messages()["webhooks"] <= DEAD + 2
