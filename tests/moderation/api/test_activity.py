"""The queue and its reviewers in numbers, through the api."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, User
from moderation.models.cases import CaseReason
from moderation.operations.cases import claims
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor
from tests.moderation.conftest import Case_, judge

QUEUE, REVIEWERS = "/api/v1/metrics/queue", "/api/v1/metrics/reviewers"


def decide(case: Case, person: User) -> None:
    """Decide it now: what is counted is the last days."""
    at = timezone.now()
    Case.objects.filter(pk=case.pk).update(opened_at=at - timedelta(hours=1))
    judge(case, person, at=at)


class TestQueue:
    def test_counts_what_waits_and_what_came_and_went(
        self, open_case: Case_, moderator: User, api: APIClient
    ) -> None:
        decided, waiting, claimed = open_case(text="a"), open_case(text="b"), open_case(text="c")
        decide(decided, moderator)
        claims.claim(case_id=claimed.pk, moderator=moderator, at=timezone.now())

        found = api.get(QUEUE).json()

        assert (found["waiting"], found["claimed"], found["escalated"]) == (2, 1, 0)
        assert found["reasons"] == [{"reason": waiting.reason, "cases": 2}]
        assert (found["opened_24h"], found["closed_24h"]) == (1, 1)
        assert datetime.fromisoformat(found["oldest_at"]) == min(waiting.opened_at, claimed.opened_at)

    def test_has_no_blind_reviews_and_nothing_of_others(
        self, open_case: Case_, api: APIClient, other_api: APIClient
    ) -> None:
        case, _ = open_case(text="a"), open_case(text="b")
        Case.objects.filter(pk=case.pk).update(reason=CaseReason.BLIND)

        assert api.get(QUEUE).json()["waiting"] == 1
        foreign = other_api.get(QUEUE).json()
        assert (foreign["waiting"], foreign["oldest_at"], foreign["reasons"]) == (0, None, [])


class TestReviewers:
    def test_shows_everybody_to_a_lead_and_others_themselves(
        self, open_case: Case_, moderator: User, lead: User, client_for: ClientFor, other_api: APIClient
    ) -> None:
        decide(open_case(text="a"), moderator)
        decide(open_case(text="b"), lead)

        everybody, own, foreign = (
            client.get(REVIEWERS).json()["data"]
            for client in (client_for(lead), client_for(moderator), other_api)
        )

        assert sorted(one["id"] for one in everybody) == sorted([str(moderator.pk), str(lead.pk)])
        assert [(one["id"], one["decisions"], one["spam"], one["not_spam"]) for one in own] == [
            (str(moderator.pk), 1, 1, 0)
        ]
        assert foreign == []

    def test_needs_a_person_and_a_known_span(self, api: APIClient, lead_api: APIClient) -> None:
        problem(api.get(REVIEWERS), status=403, code="nobody_behind_key")
        assert bad_fields(lead_api.get(REVIEWERS, {"span": "9d"})) == {"/span": "invalid_choice"}
