"""Webhook endpoints and their deliveries, as a platform manages them."""

from datetime import datetime

import pytest
from rest_framework.test import APIClient

from moderation.models import Delivery, Platform, User, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.operations.webhooks import endpoints
from tests.moderation.api.answers import problem
from tests.moderation.conftest import Case_, judge


@pytest.fixture
def endpoint(platform: Platform, at: datetime) -> WebhookEndpoint:
    return endpoints.add(platform=platform, url="https://hooks.example/", at=at)[0]


class TestWebhooks:
    def test_endpoints_are_added_changed_and_removed(self, api: APIClient) -> None:
        made = api.post("/api/v1/webhook-endpoints", {"url": "https://hooks.example/a"})
        address = made.headers["Location"]
        changed = api.patch(address, {"events": ["decision.reversed"]})
        stale = api.patch(address, {"is_active": False}, HTTP_IF_MATCH=made.headers["ETag"])
        removed = api.delete(address)

        assert (made.status_code, made.json()["secret"][:6]) == (201, "whsec_")
        assert changed.json()["events"] == ["decision.reversed"]
        assert "secret" not in changed.json()
        problem(stale, status=412, code="precondition_failed")
        assert removed.status_code == 204
        assert api.get("/api/v1/webhook-endpoints").json() == {"data": []}

    def test_rotates_to_ed25519(self, api: APIClient, endpoint: WebhookEndpoint) -> None:
        address = f"/api/v1/webhook-endpoints/{endpoint.pk}/secrets"

        answer = api.post(address, {"signature": "ed25519"}).json()

        assert answer["secret"] == answer["public_key"]
        assert answer["secret"].startswith("whpk_")
        assert endpoint.secrets.count() == 2

    def test_the_log_can_be_read_and_replayed(
        self, api: APIClient, endpoint: WebhookEndpoint, moderator: User, open_case: Case_, at: datetime
    ) -> None:
        judge(open_case(), moderator, at=at)
        Delivery.objects.update(state=DeliveryState.FAILED, attempts=10)

        [listed] = api.get(f"/api/v1/webhook-endpoints/{endpoint.pk}/deliveries?state=failed").json()["data"]
        replayed = api.post(f"/api/v1/deliveries/{listed['id']}/replay")

        assert replayed.status_code == 202
        assert (replayed.json()["id"], replayed.json()["state"]) == (listed["id"], "waiting")
        assert replayed.json()["body"]["data"]["verdict"] == "spam"
