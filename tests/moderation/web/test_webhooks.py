"""The log of an endpoint through its addresses."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Delivery, DeliveryAttempt, Platform, WebhookEndpoint
from moderation.models.webhooks import EndpointState
from moderation.operations.webhooks import endpoints
from tests.moderation.conftest import Post_
from tests.moderation.web.conftest import asked

Made = Callable[..., Delivery]


@pytest.fixture
def endpoint(platform: Platform) -> WebhookEndpoint:
    row, _ = endpoints.add(platform=platform, url="https://hooks.example/in", at=timezone.now())
    return row


@pytest.fixture
def delivery(endpoint: WebhookEndpoint, post: Post_) -> Made:
    def make(**given: Any) -> Delivery:
        now = timezone.now()
        values = {"event": "case.opened", "body": {}, "state": "failed", "created_at": now}
        values |= {"platform": endpoint.platform, "endpoint": endpoint, "next_attempt_at": now}
        row = Delivery.objects.create(**(values | {"post": post()} | given))
        said = {"status": 503, "error": "HTTP status 503 <b>", "duration_ms": 1234}
        DeliveryAttempt.objects.create(delivery=row, at=now, **said)
        return row

    return make


def test_shows_attempts_and_answers(admin_desk: Client, endpoint: WebhookEndpoint, delivery: Made) -> None:
    row = delivery()

    body = admin_desk.get(f"/endpoints/{endpoint.pk}/deliveries/").content.decode()

    assert "<strong>503</strong>" in body
    assert "1,234 ms" in body
    assert "HTTP status 503 &lt;b&gt;" in body
    assert f"/posts/{row.post_id}/" in body


@pytest.mark.parametrize(
    ("state", "is_found"), [("failed", True), ("delivered", False), ("nonsense", True), ("", True)]
)
def test_filters_by_state(
    admin_desk: Client, endpoint: WebhookEndpoint, delivery: Made, state: str, is_found: bool
) -> None:
    row = delivery()

    body = admin_desk.get(f"/endpoints/{endpoint.pk}/deliveries/?state={state}").content.decode()

    assert (str(row.pk) in body) is is_found


def test_pages_without_gaps_or_repeats(admin_desk: Client, endpoint: WebhookEndpoint, delivery: Made) -> None:
    made = {delivery(created_at=timezone.now()).pk for _ in range(55)}
    address = f"/endpoints/{endpoint.pk}/deliveries/"

    first = admin_desk.get(address).context["page"]
    rest = admin_desk.get(f"{address}?cursor={first.next_cursor}").context["page"]

    assert {row.pk for row in (*first.rows, *rest.rows)} == made
    assert admin_desk.get(f"{address}?cursor=nonsense").status_code == 404


def test_needs_the_same_few_queries_for_any_number_of_rows(
    admin_desk: Client, endpoint: WebhookEndpoint, delivery: Made
) -> None:
    address = f"/endpoints/{endpoint.pk}/deliveries/"
    admin_desk.get(address)
    for more in (1, 6):
        for _ in range(more):
            delivery()

        assert len(asked(admin_desk, address)) == 5


def test_sends_again_after_a_question(admin_desk: Client, delivery: Made) -> None:
    row = delivery()
    page = admin_desk.get(f"/endpoints/{row.endpoint_id}/deliveries/").content.decode()
    assert "Send this delivery again?" in page

    admin_desk.post(f"/deliveries/{row.pk}/send-again/")

    row.refresh_from_db()
    assert (row.state, row.attempts) == ("waiting", 0)


def test_does_not_send_again_what_was_cancelled(admin_desk: Client, delivery: Made) -> None:
    row = delivery(state="cancelled")

    answer = admin_desk.post(f"/deliveries/{row.pk}/send-again/", follow=True)

    assert "cannot be sent again" in answer.content.decode()
    row.refresh_from_db()
    assert row.state == "cancelled"


def test_sends_a_test_message(admin_desk: Client, endpoint: WebhookEndpoint) -> None:
    answer = admin_desk.post(f"/endpoints/{endpoint.pk}/test/", follow=True)

    assert "webhook.ping" in answer.content.decode()
    assert Delivery.objects.get().event == "webhook.ping"


def test_tests_no_endpoint_that_is_off(admin_desk: Client, endpoint: WebhookEndpoint) -> None:
    WebhookEndpoint.objects.update(state=EndpointState.DISABLED)

    answer = admin_desk.post(f"/endpoints/{endpoint.pk}/test/", follow=True)

    assert "inactive" in answer.content.decode()
    assert not Delivery.objects.exists()
