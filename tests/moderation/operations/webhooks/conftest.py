"""An endpoint that really listens, and deliveries that wait for it."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from moderation.models import Delivery, Platform, User, WebhookEndpoint
from moderation.operations.webhooks import endpoints
from tests.moderation import receiver
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.webhooks.deliveries import Make
from tests.moderation.receiver import Receiver


@pytest.fixture(autouse=True)
def local_hosts(settings: Settings) -> None:
    settings.EGRESS_PRIVATE_HOSTS = ("localhost", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiver.listening() as listening:
        yield listening


@pytest.fixture
def registered(server: Receiver, platform: Platform) -> tuple[WebhookEndpoint, str]:
    """The endpoint and its signing secret."""
    return endpoints.add(platform=platform, url=server.url, at=AT)


@pytest.fixture
def endpoint(registered: tuple[WebhookEndpoint, str]) -> WebhookEndpoint:
    return registered[0]


@pytest.fixture
def secret(registered: tuple[WebhookEndpoint, str]) -> str:
    return registered[1]


@pytest.fixture
def delivery(endpoint: WebhookEndpoint, open_case: Case_, moderator: User) -> Delivery:
    """A decision on its way to the endpoint."""
    return Delivery.objects.get(decision=judge(open_case(), moderator, at=later(5)))


@pytest.fixture
def make(platform: Platform, endpoint: WebhookEndpoint) -> Make:
    """Put deliveries of no post into the outbox."""

    def put(count: int, *, to: WebhookEndpoint = endpoint, **given: object) -> list[Delivery]:
        values: dict[str, object] = {
            "platform": platform,
            "endpoint": to,
            "event": "model.promoted",
            "body": {"type": "model.promoted"},
            "created_at": AT,
            "next_attempt_at": AT,
        }
        return Delivery.objects.bulk_create(Delivery(**values | given) for _ in range(count))

    return put
