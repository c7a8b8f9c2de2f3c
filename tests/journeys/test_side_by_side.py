"""Many connections at once, against the real database: one post, one decision, and nothing deadlocks."""

import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from moderation.models import AuditEntry, Case, Complaint, Decision, FeedEntry, Label, Post, Revision, User
from moderation.operations.cases import claims
from tests.journeys.conftest import new_key

pytestmark = pytest.mark.django_db(transaction=True)
CONNECTIONS = 6


@pytest.fixture
def client(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """A platform's client that may hold several connections."""
    # Scoring is not the subject, and a message per post would only load the broker.
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    headers = {"Authorization": f"Bearer {new_key('social')}"}
    with httpx.Client(base_url=live_server.url, headers=headers, trust_env=False, timeout=60) as made:
        yield made


def post(number: int, **given: Any) -> dict[str, Any]:
    """Return a valid post."""
    return {
        "external_id": f"p-{number}",
        "text": f"Message {number} with a link to http://site{number % 3}.example/",
        "posted_at": "2026-03-01T09:30:00Z",
        "author": {"external_id": f"a-{number % 5}", "display_name": f"Author {number % 5}"},
    } | given


def statuses(calls: list[Any]) -> list[int]:
    """Make the calls side by side and return their statuses."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return [answer.status_code for answer in pool.map(lambda call: call(), calls)]


def browser(user: User, origin: str) -> tuple[httpx.Client, dict[str, str]]:
    """A signed-in connection and the headers that the page's script sends."""
    signed_in = Client()
    signed_in.force_login(user)
    desk = httpx.Client(
        base_url=origin,
        cookies={"sessionid": signed_in.cookies["sessionid"].value},
        trust_env=False,
        timeout=60,
    )
    token = desk.get("/review/token/").text
    return desk, {"Review-Page": "1", "HX-Request": "true", "X-CSRFToken": token}


def test_the_same_post_from_everywhere_is_one(client: httpx.Client) -> None:
    found = statuses([lambda: client.post("/api/v1/posts", json=post(1))] * 40)

    assert found == [202] * 40
    assert (Post.objects.count(), Revision.objects.count()) == (1, 1)


def test_two_contents_of_one_revision_have_one_winner(client: httpx.Client) -> None:
    calls = [
        lambda number=number: client.post("/api/v1/posts", json=post(1, text=f"Version {number}"))
        for number in range(20)
    ]

    found = statuses(calls)

    assert sorted(found) == [202] + [409] * 19
    assert Revision.objects.count() == 1


def test_overlapping_bulk_requests_in_opposite_order_all_succeed(client: httpx.Client) -> None:
    forward = [json.dumps(post(number)) for number in range(120)]
    bodies = ["\n".join(forward), "\n".join(reversed(forward))] * 5
    headers = {"Content-Type": "application/x-ndjson"}

    found = statuses(
        [
            lambda body=body: client.post("/api/v1/posts:bulk", content=body, headers=headers)
            for body in bodies
        ]
    )

    assert found == [207] * 10
    assert (Post.objects.count(), Revision.objects.count()) == (120, 120)


def test_complaints_and_their_post_may_race(client: httpx.Client) -> None:
    complaints = [
        lambda number=number: client.post(
            "/api/v1/complaints",
            json={
                "post": "p-1",
                "reporter": {"external_id": f"r-{number % 10}"},
                "reason": "spam",
                "reported_at": "2026-03-01T10:00:00Z",
            },
        )
        for number in range(30)
    ]
    sends = [lambda: client.post("/api/v1/posts", json=post(1))] * 10

    found = statuses(
        [
            call
            for trio in zip(complaints[::3], complaints[1::3], complaints[2::3], sends, strict=True)
            for call in trio
        ]
    )

    assert found == [202] * 40
    assert Complaint.objects.count() == 10
    assert Complaint.objects.filter(post__external_id="p-1").count() == 10


def test_fifty_deciders_have_one_winner(
    live_server: LiveServer, open_case: Callable[..., Case], moderator: User, other_moderator: User
) -> None:
    case = claims.claim(case_id=open_case().pk, moderator=moderator, at=timezone.now())
    desks = [browser(moderator, live_server.url), browser(other_moderator, live_server.url)]

    def attempt(number: int) -> httpx.Response:
        desk, headers = desks[number % 5 == 4]
        form = {
            "verdict": ("spam", "not_spam")[number % 2],
            "case_version": case.version,
            "idempotency_key": str(uuid.uuid4()),
        }
        return desk.post(f"/review/{case.pk}/decide/", data=form, headers=headers)

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(attempt, range(50)))
    for desk, _ in desks:
        desk.close()

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 49}
    decision = Decision.objects.get()
    refused = [answer.text for answer in answers if answer.status_code == 409]
    unnamed = [
        text for text in refused if not re.search(r"moderator (already decided|took|is reviewing)", text)
    ]
    assert unnamed == []
    assert AuditEntry.objects.filter(subject_kind="decision", subject_id=str(decision.pk)).count() == 1
    assert (FeedEntry.objects.filter(stream="decisions").count(), Label.objects.count()) == (1, 1)
