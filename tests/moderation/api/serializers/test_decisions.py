"""A decision is told alike by webhook, in the feed and on the page of its post."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from moderation.models import Decision, Delivery, Platform, Reversal, User, WebhookEndpoint
from moderation.operations.outbox import messages
from tests.moderation.queries.labels import generated_labels

pytestmark = pytest.mark.django_db


@pytest.fixture
def generated(platform: Platform, moderator: User, lead: User, at: datetime) -> None:
    WebhookEndpoint.objects.create(
        platform=platform, url="https://hooks.example/", created_at=at, changed_at=at
    )
    makers = generated_labels.makers(platform, [moderator, lead], at=at)
    generated_labels.labelled_posts(makers, count=100, seed=19)


def told_by_webhook() -> dict[str, dict[str, Any]]:
    replaced = dict(Reversal.objects.values_list("replacement__post", "decision"))
    for number, decision in enumerate(Decision.objects.select_related("post__platform", "revision", "score")):
        is_first = decision.pk in replaced.values() or decision.post_id not in replaced
        with transaction.atomic():
            messages.write(
                decisions=[decision],
                event="decision.created" if is_first else "decision.reversed",
                reverses={} if is_first else replaced,
            )
        assert Delivery.objects.count() == number + 1
    bodies = [json.loads(json.dumps(body)) for body in Delivery.objects.values_list("body", flat=True)]
    return {body["data"]["id"]: body["data"] for body in bodies}


@pytest.mark.usefixtures("generated")
def test_the_feed_and_the_webhook_tell_the_same(api: APIClient) -> None:
    fed = api.get("/api/v1/decisions", {"limit": 500}).json()["data"]

    told = told_by_webhook()

    assert len(fed) == len(told) > 100
    assert {row["reverses"] is None for row in fed} == {row["reversed"] for row in fed} == {True, False}
    for row in fed:
        del row["entered_at"], row["reversed"]  # how it stands now, which a message cannot know
        del told[row["id"]]["sequence"]
        assert row == told[row["id"]]


@pytest.mark.usefixtures("generated")
def test_the_page_of_a_post_tells_what_the_feed_tells(api: APIClient) -> None:
    by_post = {row["post"]["id"]: row for row in api.get("/api/v1/decisions", {"limit": 500}).json()["data"]}
    pages = [api.get(f"/api/v1/posts/{post}") for post in sorted(by_post)[:20]]

    for page in pages:
        shown = page.json()["decision"]
        fed = by_post[page.json()["id"]]
        assert shown == {name: value for name, value in fed.items() if name != "entered_at"}
