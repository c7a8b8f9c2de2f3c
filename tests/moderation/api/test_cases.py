"""Cases, claims, decisions and reversals through the api."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, Decision, Delivery, Platform, Revision, User
from moderation.operations.cases import claims
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.api.answers import problem
from tests.moderation.fakes import FakeScorer


@pytest.fixture
def cases(platform: Platform, incoming: Callable[..., IncomingPost], fake_scorer: FakeScorer) -> list[Case]:
    """Three open cases, the most harmful first."""
    at = timezone.now()
    for number, probability in enumerate((0.3, 0.5, 0.8)):
        text = f"maybe {number}"
        fake_scorer.probabilities[text] = probability
        ingest.accept(platform=platform, posts=[incoming(text=text, posted_at=at)], at=at)
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
    return list(Case.objects.order_by("-priority"))


def decide(client: APIClient, case: Case, headers: dict[str, str] | None = None, **given: Any) -> Any:
    body = {"verdict": "spam", "version": case.version} | given
    return client.post(f"/api/v1/cases/{case.pk}/decisions", body, headers=headers)


class TestRead:
    def test_pages_by_expected_harm_without_the_text(self, api: APIClient, cases: list[Case]) -> None:
        first = api.get("/api/v1/cases?limit=2").json()
        second = api.get(f"/api/v1/cases?limit=2&cursor={first['next_cursor']}").json()

        assert [row["id"] for row in first["data"] + second["data"]] == [str(case.pk) for case in cases]
        assert second["next_cursor"] is None
        assert "text" not in first["data"][0]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("queue=audit", 0),
            ("queue=uncertain", 3),
            ("state=decided", 0),
            ("priority_gte=0.5", 2),
            ("campaign=1", 0),
            ("model=none", 0),
        ],
    )
    def test_narrows(self, api: APIClient, cases: list[Case], query: str, found: int) -> None:
        assert len(api.get(f"/api/v1/cases?{query}").json()["data"]) == found

    @pytest.mark.parametrize("sort", ["harm", "uncertainty", "newest", "reported"])
    def test_pages_in_every_order_without_a_gap(self, api: APIClient, cases: list[Case], sort: str) -> None:
        seen: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            page = api.get(f"/api/v1/cases?limit=1&sort={sort}{cursor}").json()
            seen += [row["id"] for row in page["data"]]
            cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None

        assert sorted(seen) == sorted(str(case.pk) for case in cases)

    def test_one_has_text_and_etag(self, api: APIClient, cases: list[Case]) -> None:
        answer = api.get(f"/api/v1/cases/{cases[0].pk}")

        assert answer.json()["text"] == "maybe 2"
        assert answer.headers["ETag"] == '"1"'

    def test_a_blind_case_keeps_its_probability_to_itself(self, api: APIClient, cases: list[Case]) -> None:
        Case.objects.update(reason="audit")

        assert api.get(f"/api/v1/cases/{cases[0].pk}").json()["spam_probability"] is None

    @pytest.mark.parametrize("query", ["cursor=abc", "limit=0", "queue=none", "priority_gte=nan", "page=2"])
    def test_refuses_what_it_does_not_know(self, api: APIClient, cases: list[Case], query: str) -> None:
        problem(api.get(f"/api/v1/cases?{query}"), status=422, code="invalid_fields")


class TestClaim:
    def test_takes_the_next_for_the_person_behind_the_key(
        self, lead_api: APIClient, cases: list[Case], lead: User
    ) -> None:
        answer = lead_api.post("/api/v1/queues/all/claims", {"count": 2}).json()

        assert [row["id"] for row in answer["cases"]] == [str(case.pk) for case in cases[:2]]
        assert Case.objects.filter(claimed_by=lead).count() == 2
        assert answer["lease_end_at"]

    def test_refuses_a_key_that_acts_for_nobody(self, api: APIClient, cases: list[Case]) -> None:
        answer = api.post("/api/v1/queues/all/claims", {})

        problem(answer, status=403, code="nobody_behind_key")

    def test_renews_and_hands_back(self, lead_api: APIClient, cases: list[Case]) -> None:
        held = lead_api.put(f"/api/v1/claims/{cases[0].pk}").json()
        again = lead_api.put(f"/api/v1/claims/{cases[0].pk}").json()
        back = lead_api.delete(f"/api/v1/claims/{cases[0].pk}")

        assert again["lease_end_at"] >= held["lease_end_at"]
        assert back.status_code == 204
        assert not Case.objects.filter(claimed_by__isnull=False).exists()

    def test_refuses_what_somebody_holds(
        self, lead_api: APIClient, cases: list[Case], moderator: User
    ) -> None:
        claims.claim(case_id=cases[0].pk, moderator=moderator, at=timezone.now())

        problem(lead_api.put(f"/api/v1/claims/{cases[0].pk}"), status=409, code="already_claimed")


class TestDecide:
    def test_decides_a_claimed_case_and_names_the_winner_to_who_comes_second(
        self, lead_api: APIClient, cases: list[Case], lead: User
    ) -> None:
        lead_api.put(f"/api/v1/claims/{cases[0].pk}")

        won = decide(lead_api, cases[0], reason="scam")
        lost = decide(lead_api, cases[0], verdict="not_spam")

        assert won.status_code == 201
        assert (won.json()["verdict"], won.json()["source"]) == ("spam", "moderator")
        assert Decision.objects.get().decided_by == lead
        assert (lost.status_code, lost.json()["type"]) == (409, "/problems/already_decided")
        assert lost.json()["decision"]["id"] == won.json()["id"]

    def test_needs_the_claim_and_the_version(self, lead_api: APIClient, cases: list[Case]) -> None:
        problem(decide(lead_api, cases[0]), status=409, code="claim_lost")
        lead_api.put(f"/api/v1/claims/{cases[0].pk}")

        problem(decide(lead_api, cases[0], version=7), status=409, code="post_changed")
        stale = decide(lead_api, cases[0], headers={"If-Match": '"7"'})
        problem(stale, status=412, code="precondition_failed")

    def test_escalates(self, lead_api: APIClient, cases: list[Case]) -> None:
        lead_api.put(f"/api/v1/claims/{cases[0].pk}")

        answer = lead_api.post(f"/api/v1/cases/{cases[0].pk}/escalations", {"note": "odd"})

        assert (answer.status_code, answer.json()["is_escalated"]) == (201, True)


class TestReverse:
    def test_says_the_opposite_and_tells_the_platform(
        self, lead_api: APIClient, cases: list[Case], platform: Platform
    ) -> None:
        endpoints.add(platform=platform, url="https://hooks.example/", at=timezone.now())
        lead_api.put(f"/api/v1/claims/{cases[0].pk}")
        wrong = decide(lead_api, cases[0]).json()

        reversal = f"/api/v1/decisions/{wrong['id']}/reversal"
        answer, again = (lead_api.post(reversal, {"reason": "a joke"}) for _ in range(2))

        assert (answer.status_code, answer.json()["verdict"]) == (201, "not_spam")
        assert answer.json()["reverses"] == wrong["id"]
        problem(again, status=409, code="already_reversed")
        assert Delivery.objects.get(event="decision.reversed").body["data"]["reverses"] == wrong["id"]
