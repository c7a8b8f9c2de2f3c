"""Accounts without a post: complained of, reviewed, decided and appealed as posts are, and told apart."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Delivery, Platform, Post, Revision, User
from moderation.models.webhooks import WebhookEvent
from moderation.operations.outbox import feed
from moderation.operations.webhooks import endpoints
from moderation.queries.labels import label_lines
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.api.answers import bad_fields
from tests.moderation.api.conftest import Payload
from tests.moderation.conftest import Case_, Later, judge

COMPLAINTS = "/api/v1/complaints"
ACCOUNT = {"subject": "account", "account": "42"}


@pytest.fixture
def report(complaint: Payload) -> Payload:
    """A complaint about an account, with every field."""
    del complaint["post"]
    author = {"external_id": "42", "display_name": "Pill Palace", "created_at": "2026-01-31T12:00:00Z"}
    counts = {"email_domain": "pills.example", "friends": 1, "followers": 2, "is_verified": False, "posts": 0}
    profile = {
        "bio": "Cheap pills",
        "fields": [{"name": "Shop", "value": "https://pills.example/"}],
        "links": ["https://pills.example/"],
        "picture": "https://cdn.example/42.jpg",
    }
    return complaint | {"account": author | counts | profile}


class TestSend:
    def test_stores_profile_and_complaint_once(self, api: APIClient, report: Payload) -> None:
        first, again = api.post(COMPLAINTS, report), api.post(COMPLAINTS, report)

        row = Post.objects.get()
        assert first.status_code == 202
        assert first.json() == again.json() == {"id": first.json()["id"], "post_id": str(row.pk)}
        revision = Revision.objects.get()
        assert revision.text == "Pill Palace\nCheap pills\nShop: https://pills.example/"
        assert revision.author_snapshot["followers"] == 2
        assert api.get("/api/v1/posts?external_id=account:42").json()["id"] == str(row.pk)

    @pytest.mark.parametrize("name", ["Pill Palace", "Pills & more"])
    def test_a_name_alone_leaves_the_fuller_profile(self, api: APIClient, report: Payload, name: str) -> None:
        api.post(COMPLAINTS, report)
        short = {"external_id": "42", "display_name": name}
        answer = api.post(COMPLAINTS, report | {"account": short, "external_id": "another"})

        assert answer.status_code == 202
        assert Revision.objects.get().text.endswith("Cheap pills\nShop: https://pills.example/")

    @pytest.mark.parametrize(
        ("change", "where", "code"),
        [
            ({"post": "p-1"}, "/post", "one_of_both"),
            ({"account": None}, "/post", "one_of_both"),
            ({"account": {}}, "/account/external_id", "required"),
            ({"account": {"external_id": "x" * 193}}, "/account/external_id", "max_length"),
            ({"account": {"external_id": "1", "fields": {"a": "b"}}}, "/account/fields", "not_a_list"),
            ({"account": {"external_id": "1", "picture": "p\0"}}, "/account/picture", "null_characters"),
            ({"account": None, "post": "account:42"}, "/post", "account_id"),
        ],
    )
    def test_names_the_bad_field(
        self,
        api: APIClient,
        report: Payload,
        nothing_stored: Callable[[], bool],
        change: Payload,
        where: str,
        code: str,
    ) -> None:
        [(pointer, found)] = bad_fields(api.post(COMPLAINTS, report | change)).items()

        assert pointer == where
        assert found.startswith(code)
        assert nothing_stored()

    def test_no_post_has_the_id_of_an_account(self, api: APIClient, payload: Payload) -> None:
        response = api.post("/api/v1/posts", payload | {"external_id": "account:42"})

        assert bad_fields(response) == {"/external_id": "account_id"}


@pytest.fixture
def told(platform: Platform, lead: User, later: Later) -> Callable[[Case], list[dict[str, Any]]]:
    """Decide a case; return what the feed, webhooks and labels say of its post."""
    endpoints.add(platform=platform, url="https://all.example/", events=WebhookEvent.values, at=later(0))

    def decide(case: Case) -> list[dict[str, Any]]:
        judge(case, lead, at=later(3))
        feed.sweep(at=timezone.now())
        return [row.body["data"]["post"] for row in Delivery.objects.filter(post=case.post)]

    return decide


class TestDecisions:
    def test_say_that_they_are_about_an_account(
        self, api: APIClient, account_case: Case, told: Callable[[Case], list[dict[str, Any]]]
    ) -> None:
        shown = api.get(f"/api/v1/cases/{account_case.pk}").json()

        references = told(account_case)

        [decision] = api.get("/api/v1/decisions").json()["data"]
        [label] = api.get("/api/v1/labels").json()["data"]
        [line] = label_lines.lines(wanted=LabelFilter())
        expected = {"id": str(account_case.post_id), "external_id": "account:42", "revision": 1} | ACCOUNT
        assert [one for one in references if one != expected] == []
        assert shown["post"] == decision["post"] == expected
        assert label["subject"] == json.loads(line.line)["subject"] == "account"
        statement = api.get(f"/api/v1/decisions/{decision['id']}/statement-of-reasons").json()
        assert statement["decision_facts"].startswith("A person looked at the account")

    def test_about_posts_are_told_as_before(
        self, api: APIClient, open_case: Case_, told: Callable[[Case], list[dict[str, Any]]]
    ) -> None:
        case = open_case()

        references = told(case)

        reference = {"id": str(case.post_id), "external_id": case.post.external_id, "revision": 1}
        assert [one for one in references if one != reference] == []
        assert api.get(f"/api/v1/cases/{case.pk}").json()["post"] == reference
        [decision] = api.get("/api/v1/decisions").json()["data"]
        assert json.dumps(decision["post"]) == json.dumps(reference)
        [label] = api.get("/api/v1/labels").json()["data"]
        assert "subject" not in label

    def test_are_appealed(self, api: APIClient, account_case: Case, lead: User, later: Later) -> None:
        decision = judge(account_case, lead, at=later(3))

        appeal = api.post("/api/v1/appeals", {"decision": str(decision.pk)}).json()

        case = Case.objects.get(pk=appeal["case_id"])
        assert (case.post_id, case.reason, appeal["state"]) == (account_case.post_id, "appealed", "open")
