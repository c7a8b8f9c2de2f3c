"""GET /decisions: a platform's feed misses nothing, tells nothing too early, and what webhooks tell."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation.models import (
    ActionRule,
    Decision,
    Delivery,
    FeedEntry,
    Platform,
    Reversal,
    User,
    WebhookEndpoint,
)
from moderation.models.decisions import Verdict
from moderation.models.feed import Stream
from moderation.operations.cases import reversals
from moderation.operations.outbox import feed, messages
from moderation.queries.wire import instant
from tests.moderation.api.answers import bad_fields
from tests.moderation.conftest import Decided
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import decided
from tests.moderation.queries.labels import generated_labels

__all__ = ["decided"]

DECISIONS = "/api/v1/decisions"


def ids(answer: dict[str, Any]) -> list[str]:
    """Return the ids of a page."""
    return [row["id"] for row in answer["data"]]


def told(platform: Platform, at: datetime) -> list[Decision]:
    """Read the whole feed as of then."""
    page = feed.read(platform=platform, stream=Stream.DECISIONS, since=None, cursor=None, limit=500, at=at)
    return [entry.decision for entry in page.rows]


class TestShape:
    def test_tells_what_was_decided(self, api: APIClient, decided: Decided) -> None:
        made = decided(at=AT)

        answer = api.get(DECISIONS).json()
        entry = FeedEntry.objects.get(decision=made, stream=Stream.DECISIONS)
        assert entry.entered_at is not None

        assert answer["data"] == [
            {
                "id": str(made.pk),
                "post": {"id": str(made.post_id), "external_id": "post-1", "revision": 1},
                "verdict": "spam",
                "source": "moderator",
                "reason": "",
                "decided_at": "2026-03-01T12:00:00Z",
                "reverses": None,
                "reversed": False,
                "spam_probability": 0.5,
                "is_degraded": False,
                "release": "f" * 64,
                "entered_at": instant(entry.entered_at),
            }
        ]
        assert answer["has_more"] is False

    def test_an_empty_desk_has_no_cursor(self, api: APIClient) -> None:
        assert api.get(DECISIONS).json() == {"data": [], "next_cursor": None, "has_more": False}

    def test_other_platforms_decisions_stay_theirs(self, decided: Decided) -> None:
        decided(at=AT)
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)

        assert told(other, later(3_600)) == []


def test_tells_actions_as_now(api: APIClient, platform: Platform, decided: Decided, moderator: User) -> None:
    ActionRule.objects.create(platform=platform, verdict="spam", action="limit", days=1_000)
    made = decided(at=AT)
    [limited] = api.get(DECISIONS).json()["data"]
    page = api.get(f"/api/v1/posts/{made.post_id}").json()

    reversals.correct(decision_id=made.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60))
    first, second = api.get(DECISIONS).json()["data"]

    assert limited["actions"] == [{"action": "limit", "until": "2028-11-25T12:00:10Z"}]
    assert page["decision"]["actions"] == limited["actions"]
    assert (first["actions"], second["undo"]) == ([], ["limit"])
    assert not {"undo", "awaiting"} & set(first) | {"actions", "awaiting"} & set(second)


class TestPaging:
    def test_walks_through_ties_without_gap_or_repetition(self, api: APIClient, decided: Decided) -> None:
        made = [decided(at=later(when)) for when in (0, 0, 0, 1, 1, 2, 2)]
        seen: list[str] = []
        cursor: dict[str, str] = {}

        for _ in range(4):
            answer = api.get(DECISIONS, {"limit": "2", **cursor}).json()
            seen += ids(answer)
            cursor = {"cursor": answer["next_cursor"]}

        assert seen == [str(decision.pk) for decision in made]
        assert answer["has_more"] is False

    def test_polling_goes_on_where_it_stood(self, api: APIClient, decided: Decided) -> None:
        decided(at=later(0))
        first = api.get(DECISIONS).json()
        nothing = api.get(DECISIONS, {"cursor": first["next_cursor"]}).json()
        new = decided(at=later(60))

        answer = api.get(DECISIONS, {"cursor": nothing["next_cursor"]}).json()

        assert nothing["data"] == []
        assert nothing["next_cursor"] == first["next_cursor"]
        assert ids(answer) == [str(new.pk)]

    def test_since_includes_its_instant(self, api: APIClient, decided: Decided) -> None:
        """Whoever keeps no cursor asks with the `entered_at` of last time, and misses nothing."""
        first = decided(at=later(0))
        [row] = api.get(DECISIONS).json()["data"]
        late = decided(at=later(-3_600))

        [_, new] = api.get(DECISIONS, {"since": row["entered_at"]}).json()["data"]
        after = instant(datetime.fromisoformat(new["entered_at"]) + timedelta(microseconds=1))

        assert (row["id"], new["id"]) == (str(first.pk), str(late.pk))
        assert new["entered_at"] >= row["entered_at"]
        assert api.get(DECISIONS, {"since": after}).json()["data"] == []

    def test_costs_four_queries_whatever_the_number(
        self, api: APIClient, decided: Decided, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for when in range(5):
            decided(at=later(when))
        api.get(DECISIONS)

        with django_assert_num_queries(4):  # key, numbers, page, undone actions
            api.get(DECISIONS)


class TestTiming:
    """The clock is the query's argument here, so nothing has to wait."""

    def test_waits_for_the_time_to_undo_and_to_commit(self, decided: Decided, platform: Platform) -> None:
        made = decided(at=later(0))

        assert told(platform, later(11.9)) == []
        assert told(platform, later(12)) == [made]

    def test_a_correction_tells_both(self, decided: Decided, api: APIClient, moderator: User) -> None:
        wrong = decided(at=later(0))
        right = reversals.correct(
            decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(600)
        )

        first, second = api.get(DECISIONS).json()["data"]

        assert (first["id"], first["reversed"], first["reverses"]) == (str(wrong.pk), True, None)
        assert (second["id"], second["reversed"], second["reverses"]) == (str(right.pk), False, str(wrong.pk))


@pytest.mark.parametrize(
    ("query", "where", "code"),
    [
        ({"limit": "0"}, "/limit", "min_value"),
        ({"limit": "501"}, "/limit", "max_value"),
        ({"limit": "ten"}, "/limit", "invalid"),
        ({"limit": "9" * 5_000}, "/limit", "max_string_length"),
        ({"limit": ""}, "/limit", "invalid"),
        ({"since": "yesterday"}, "/since", "invalid"),
        ({"since": "2026-01-01T00:00:00"}, "/since", "no_offset"),
        ({"since": "2999-01-01T00:00:00Z"}, "/since", "in_future"),
        ({"cursor": "nonsense"}, "/cursor", "invalid_cursor"),
        ({"cursor": "djE6MTox\0"}, "/cursor", "invalid_cursor"),
        ({"cursor": "djI6MTox"}, "/cursor", "invalid_cursor"),
        ({"cursor": "djE6OTk5OTk5OTk5OTk5OTk5OTk5OjE"}, "/cursor", "invalid_cursor"),
        ({"cursor": "é"}, "/cursor", "invalid_cursor"),
        ({"page": "2"}, "/page", "unknown_field"),
    ],
)
def test_names_the_bad_parameter(api: APIClient, query: dict[str, str], where: str, code: str) -> None:
    assert bad_fields(api.get(DECISIONS, query)) == {where: code}


@pytest.fixture
def generated(platform: Platform, moderator: User, lead: User) -> None:
    WebhookEndpoint.objects.create(
        platform=platform, url="https://hooks.example/", created_at=AT, changed_at=AT
    )
    makers = generated_labels.makers(platform, [moderator, lead], at=AT)
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
                follow_ups={decision.pk: {}},
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
