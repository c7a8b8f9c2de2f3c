"""What came of a complaint: read by its id, and told by the event `complaint.decided`."""

import time
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from moderation.models import Author, Case, Complaint, Delivery, Platform, ScoringJob, User
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.posts import ScoreState
from moderation.models.webhooks import WebhookEvent
from moderation.operations.cases import reversals
from moderation.operations.erasure import erase
from moderation.operations.posts import complaints
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.webhooks import endpoints
from tests.moderation.api.answers import problem
from tests.moderation.api.conftest import Payload
from tests.moderation.conftest import Case_, Later, judge


@pytest.fixture
def reported(platform: Platform, open_case: Case_, later: Later) -> Complaint:
    """A complaint about a post that waits for a human."""
    about = IncomingComplaint(
        post=open_case().post.external_id, reporter="reporter", reason="scam", reported_at=later(2)
    )
    return complaints.record(platform=platform, complaint=about, at=later(2))


def outcome(api: APIClient, complaint: Complaint) -> Payload:
    answer = api.get(f"/api/v1/complaints/{complaint.pk}")
    assert answer.status_code == 200
    return dict(answer.json())


class TestRead:
    def test_is_open_until_the_decision_takes_effect(
        self, api: APIClient, reported: Complaint, moderator: User
    ) -> None:
        now = timezone.now()
        before = outcome(api, reported)
        made = judge(Case.objects.get(), moderator, at=now)

        undoable = outcome(api, reported)
        type(made).objects.update(effective_at=now)
        after = outcome(api, reported)

        assert (before["state"], before["decision"]) == ("open", None)
        assert undoable == before
        assert (after["state"], after["decision"]["id"]) == ("decided", str(made.pk))
        assert (after["reporter"]["external_id"], after["reason"]) == ("reporter", "scam")

    def test_of_a_post_that_stays_as_it_was_decided_is_decided(
        self, api: APIClient, platform: Platform, reported: Complaint, moderator: User, later: Later
    ) -> None:
        judge(Case.objects.get(), moderator, at=later(3), verdict=Verdict.NOT_SPAM)
        again = IncomingComplaint(
            post=reported.post_external_id, reporter="another", reason="spam", reported_at=later(99)
        )
        ScoringJob.objects.update(state=ScoreState.SCORED)
        late = complaints.record(platform=platform, complaint=again, at=later(99))

        scoring = outcome(api, late)["state"]
        ScoringJob.objects.update(state=ScoreState.SCORED)

        assert (scoring, outcome(api, late)["state"]) == ("open", "decided")
        assert outcome(api, late)["decision"]["verdict"] == "not_spam"

    def test_before_its_post_and_after_its_erasure(
        self, api: APIClient, complaint: Payload, reported: Complaint, at: datetime
    ) -> None:
        early = api.post("/api/v1/complaints", complaint).json()["id"]
        erase.post(post_id=reported.post_id or 0, at=at)

        assert api.get(f"/api/v1/complaints/{early}").json()["state"] == "open"
        assert outcome(api, reported)["state"] == "erased"

    def test_is_for_its_platform(self, other_api: APIClient, reported: Complaint) -> None:
        problem(other_api.get(f"/api/v1/complaints/{reported.pk}"), status=404, code="not_found")


@pytest.fixture
def subscribed(platform: Platform, at: datetime) -> None:
    """An endpoint that asked for outcomes of complaints alone."""
    event = WebhookEvent.COMPLAINT_DECIDED.value
    endpoints.add(platform=platform, url="https://all.example/", events=[event], at=at)


@pytest.mark.usefixtures("subscribed")
class TestEvent:
    def test_names_the_complaints_and_is_cancelled_with_the_decision(
        self, reported: Complaint, moderator: User, later: Later
    ) -> None:
        made = judge(Case.objects.get(), moderator, at=later(3))

        [told] = Delivery.objects.filter(event="complaint.decided")
        assert told.next_attempt_at == made.effective_at
        assert told.body["data"] == {
            "complaints": [str(reported.pk)],
            "decision_id": str(made.pk),
            "verdict": "spam",
            "post": {"id": str(made.post_id), "external_id": made.post.external_id, "revision": 1},
            "sequence": told.sequence,
        }
        reversals.undo(decision_id=made.pk, moderator=moderator, at=later(4))
        told.refresh_from_db()
        assert told.state == DeliveryState.CANCELLED

    def test_tells_a_reversal_too(self, reported: Complaint, moderator: User, later: Later) -> None:
        made = judge(Case.objects.get(), moderator, at=later(3))

        reversals.correct(
            decision_id=made.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=made.effective_at
        )

        told = Delivery.objects.filter(event="complaint.decided").order_by("sequence")
        assert [row.body["data"]["verdict"] for row in told] == ["spam", "not_spam"]

    def test_ten_thousand_complaints_cost_one_message(
        self, platform: Platform, reported: Complaint, moderator: User, at: datetime, later: Later
    ) -> None:
        people = Author.objects.bulk_create(
            Author(platform=platform, external_id=f"r{number}", first_seen_at=at) for number in range(10_005)
        )
        shared = {"platform": platform, "post_id": reported.post_id, "reported_at": at, "received_at": at}
        external_id = reported.post_external_id
        Complaint.objects.bulk_create(
            Complaint(reporter=one, reason="spam", post_external_id=external_id, **shared) for one in people
        )
        begun = time.perf_counter()

        judge(Case.objects.get(), moderator, at=later(3))

        assert timedelta(seconds=time.perf_counter() - begun) < timedelta(seconds=5)
        [told] = Delivery.objects.filter(event="complaint.decided")
        assert len(told.body["data"]["complaints"]) == 10_000


class TestPosition:
    def test_counts_earlier_open_appeals(
        self, api: APIClient, open_case: Case_, moderator: User, lead: User, later: Later
    ) -> None:
        cases = [open_case(text=f"Cat {number} is gone") for number in range(2)]
        filed = [
            api.post("/api/v1/appeals", {"decision": str(judge(case, moderator, at=later(3)).pk)}).json()
            for case in cases
        ]

        judge(Case.objects.get(pk=filed[0]["case_id"]), lead, at=later(90))

        positions = [api.get(f"/api/v1/appeals/{one['id']}").json()["position"] for one in filed]
        assert [one["position"] for one in filed] == [1, 2]
        assert positions == [None, 1]

    def test_counts_earlier_open_cases_for_a_post(
        self,
        api: APIClient,
        open_case: Case_,
        moderator: User,
        later: Later,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        cases = [open_case(text=f"Cat {number} is gone") for number in range(3)]
        paths = [f"/api/v1/posts/{case.post_id}" for case in cases]
        before = [api.get(path).json()["position"] for path in paths]

        judge(cases[0], moderator, at=later(3))

        assert before == [1, 2, 3]
        assert [api.get(path).json()["position"] for path in paths] == [None, 1, 2]
        with django_assert_num_queries(10):
            api.get(paths[2])
