"""Campaigns, authors and domains through the api: a platform sees its own posts, and nobody else's."""

from datetime import datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from moderation.models import AuditEntry, Campaign, CampaignMember, Case, Decision, Delivery, Platform, User
from moderation.models.webhooks import WebhookEvent
from moderation.operations import rules
from moderation.operations.webhooks import endpoints
from tests.moderation.api.answers import problem
from tests.moderation.conftest import Case_, Later
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import accept, incoming, opened, run_all

SIZE = 4


@pytest.fixture
def campaign(platform: Platform, fake_scorer: FakeScorer, at: datetime) -> Campaign:
    return opened(platform, SIZE, at=at)


@pytest.fixture
def other(db: None, at: datetime) -> Platform:
    return Platform.objects.create(slug="another", name="Another", created_at=at)


def decide(client: APIClient, campaign: Campaign, **given: Any) -> Any:
    body = {"verdict": "spam", "expected_count": SIZE} | given
    return client.post(f"/api/v1/campaigns/{campaign.pk}/decisions", body)


def posts_of(campaign: Campaign) -> list[str]:
    members = CampaignMember.objects.filter(campaign=campaign).order_by("id")
    return [str(post) for post in members.values_list("post_id", flat=True)]


class TestRead:
    def test_pages_of_campaigns_and_members(self, lead_api: APIClient, campaign: Campaign) -> None:
        [found] = lead_api.get("/api/v1/campaigns").json()["data"]
        first = lead_api.get(f"/api/v1/campaigns/{campaign.pk}/members?limit=3").json()
        rest = lead_api.get(
            f"/api/v1/campaigns/{campaign.pk}/members?limit=3&cursor={first['next_cursor']}"
        ).json()

        assert (found["posts"], found["waiting"], found["is_shared"]) == (SIZE, SIZE, False)
        assert [row["post"]["id"] for row in first["data"] + rest["data"]] == posts_of(campaign)
        assert {row["place"] for row in first["data"]} == {"waiting"}
        assert rest["next_cursor"] is None

    def test_tells_nothing_of_another_platforms_posts(
        self, lead_api: APIClient, other_api: APIClient, campaign: Campaign, other: Platform, at: datetime
    ) -> None:
        run_all(accept(other, [incoming(9, at=at)], at=at), at=at)

        [found] = lead_api.get("/api/v1/campaigns").json()["data"]

        assert Campaign.objects.get().posts == SIZE + 1
        assert (found["posts"], found["is_shared"]) == (SIZE, True)
        assert other_api.get("/api/v1/campaigns").json()["data"] == []


class TestDecide:
    def test_settles_all_but_the_excluded_and_tells_so(
        self, lead_api: APIClient, campaign: Campaign, platform: Platform, at: datetime
    ) -> None:
        endpoints.add(
            platform=platform, url="https://a.example/", events=[WebhookEvent.CAMPAIGN_DECIDED], at=at
        )
        first, *others = posts_of(campaign)

        made = decide(lead_api, campaign, expected_count=SIZE - 1, exclude=[first], sample_seen=others[:2])

        assert (made.status_code, made.json()["posts"], made.json()["state"]) == (201, SIZE - 1, "done")
        assert {str(post) for post in Decision.objects.values_list("post", flat=True)} == set(others)
        assert Case.objects.get(post=int(first)).state == "open"
        assert AuditEntry.objects.get(action="campaign.seen").details["posts"] == [int(p) for p in others[:2]]
        assert Delivery.objects.get(event="campaign.decided").body["data"]["posts"] == SIZE - 1

    def test_decides_nothing_when_the_number_moved(self, lead_api: APIClient, campaign: Campaign) -> None:
        answer = decide(lead_api, campaign, expected_count=2).json()

        assert (answer["status"], answer["type"]) == (412, "/problems/count_moved")
        assert (answer["expected"], answer["found"]) == (2, SIZE)
        assert not Decision.objects.exists()

    def test_of_several_platforms_is_not_for_one_of_them(
        self, lead_api: APIClient, campaign: Campaign, other: Platform, at: datetime
    ) -> None:
        run_all(accept(other, [incoming(9, at=at)], at=at), at=at)

        problem(decide(lead_api, campaign, expected_count=SIZE + 1), status=409, code="shared_campaign")

    def test_refuses_posts_that_are_not_in_it(self, lead_api: APIClient, campaign: Campaign) -> None:
        problem(decide(lead_api, campaign, exclude=["0"]), status=422, code="invalid_fields")
        assert not Decision.objects.exists()

    def test_of_others_is_not_found(self, other_api: APIClient, campaign: Campaign) -> None:
        problem(decide(other_api, campaign), status=404, code="not_found")


class TestEntities:
    def test_timeline_orders_posts_complaints_and_decisions(self, api: APIClient, open_case: Case_) -> None:
        open_case()

        told = api.get("/api/v1/authors/honest_author/timeline").json()

        assert [event["kind"] for event in told["events"]] == ["post"]
        assert told["events"][0]["verdict"] is None

    def test_a_domain_is_counted_among_own_posts(
        self, api: APIClient, other_api: APIClient, open_case: Case_, lead: User, later: Later
    ) -> None:
        open_case(text="look: https://pay.evil.example/now")
        rules.impose(value="evil.example", reason="pills", actor=lead, at=later(5))

        own = api.get("/api/v1/domains/pay.evil.example").json()
        other = other_api.get("/api/v1/domains/evil.example").json()

        assert (own["domain"], own["posts"], own["waiting"]) == ("evil.example", 1, 1)
        assert own["rule"]["value"] == "evil.example"
        assert (other["posts"], other["rule"]["value"]) == (0, "evil.example")

    def test_what_is_not_there_is_not_found(self, api: APIClient, platform: Platform) -> None:
        problem(api.get("/api/v1/authors/nobody/timeline"), status=404, code="not_found")
        problem(api.get("/api/v1/domains/com"), status=404, code="not_found")
