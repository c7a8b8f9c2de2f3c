"""Logs: one request's id from the api through tasks to the webhook, and nothing of what people wrote."""

import json
import logging
from collections.abc import Iterator
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
import structlog
from django.utils import timezone
from rest_framework.test import APIClient

import moderation.tasks  # noqa: F401 - registers the tasks, as a worker does
from config.celery import app
from config.logs import LOGGING
from moderation.models import Platform
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from moderation.operations.webhooks import endpoints
from tests.moderation.fakes import FakeScorer

SECRETS = ("grey cat", "198.51.100.23", "leak.example", "Rosa", "user-77", "pills.example")


@pytest.fixture
def tasks_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what is enqueued at once, with the headers that the broker would carry."""

    def send_task(name: str, *, kwargs: dict[str, Any], headers: Any = None, **_: Any) -> None:
        app.tasks[name].apply(kwargs=kwargs, headers=headers, throw=True)

    monkeypatch.setattr("moderation.enqueue.current_app.send_task", send_task)


@pytest.fixture
def logged() -> Iterator[StringIO]:
    """Every line, in the format of production."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    settings = {name: value for name, value in LOGGING["formatters"]["json"].items() if name != "()"}
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(**settings))
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


@pytest.mark.django_db(transaction=True)
def test_carry_the_requests_id_and_no_words_or_addresses(
    platform: Platform, fake_scorer: FakeScorer, tasks_in_place: None, at: datetime, logged: StringIO
) -> None:
    fake_scorer.default = 0.05
    endpoints.add(platform=platform, url="https://hooks.invalid/", at=at)
    _, secret = api_keys.issue(platform=platform, name="k", scopes=Scope.values, expires_at=None, at=at)
    client = APIClient(headers={"Authorization": f"Bearer {secret}", "X-Request-ID": "trace-1"})
    post = {
        "external_id": "p-1",
        "text": "Has anybody seen my grey cat? https://pills.example/",
        "posted_at": timezone.now().isoformat(),
        "author": {"external_id": "user-77", "display_name": "Rosa", "email_domain": "leak.example"},
        "ip": "198.51.100.23",
    }

    client.post("/api/v1/posts", post, format="json")
    client.post("/api/v1/posts", post | {"revision": 2, "ip": "grey cat"}, format="json")
    client.delete("/api/v1/authors/user-77")

    written = logged.getvalue()
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    traced = [line for line in lines if line.get("request_id") == "trace-1"]
    tasks = {line["task"] for line in traced if line["event"] == "task"}
    assert {line["event"] for line in traced} >= {"request", "task", "delivery_failed"}
    assert tasks >= {"moderation.tasks.score_revisions", "moderation.tasks.serve_endpoint"}
    assert [line["status"] for line in traced if line["event"] == "request"] == [202, 422, 202]
    assert [word for word in (*SECRETS, secret) if word in written] == []
