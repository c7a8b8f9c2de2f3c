"""Authors and domains through the api: a platform reads of its own posts alone."""

from __future__ import annotations

from rest_framework.test import APIClient

from moderation.models import Platform, User
from moderation.operations import rules
from tests.moderation.api.answers import problem
from tests.moderation.conftest import Case_, Later


def test_a_timeline_has_posts_complaints_and_decisions_in_order(api: APIClient, open_case: Case_) -> None:
    open_case()

    told = api.get("/api/v1/authors/honest_author/timeline").json()

    assert [event["kind"] for event in told["events"]] == ["post"]
    assert told["events"][0]["verdict"] is None


def test_a_domain_is_counted_among_own_posts(
    api: APIClient, other_api: APIClient, open_case: Case_, lead: User, later: Later
) -> None:
    open_case(text="look: https://pay.evil.example/now")
    rules.impose(value="evil.example", reason="pills", actor=lead, at=later(5))

    own = api.get("/api/v1/domains/pay.evil.example").json()
    other = other_api.get("/api/v1/domains/evil.example").json()

    assert (own["domain"], own["posts"], own["waiting"]) == ("evil.example", 1, 1)
    assert own["rule"]["value"] == "evil.example"
    assert (other["posts"], other["rule"]["value"]) == (0, "evil.example")


def test_what_is_not_there_is_not_found(api: APIClient, platform: Platform) -> None:
    problem(api.get("/api/v1/authors/nobody/timeline"), status=404, code="not_found")
    problem(api.get("/api/v1/domains/com"), status=404, code="not_found")
