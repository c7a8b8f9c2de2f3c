"""Complaints, disputed decisions, notes, second looks, and the events that tell of them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import (
    Appeal,
    AuditEntry,
    Case,
    Complaint,
    Decision,
    DecisionAction,
    Delivery,
    Platform,
    User,
    WebhookEndpoint,
)
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import WebhookEvent
from moderation.operations import refusals, rules
from moderation.operations.cases import claims, reversals
from moderation.operations.erasure import erase
from moderation.operations.labels import export_build, exports
from moderation.operations.webhooks import endpoints
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import Payload
from tests.moderation.conftest import Case_, Later, judge


@pytest.fixture
def everything(platform: Platform, at: datetime) -> WebhookEndpoint:
    """An endpoint that asked for every event by name."""
    return endpoints.add(platform=platform, url="https://all.example/", events=WebhookEvent.values, at=at)[0]


@pytest.fixture
def decided(open_case: Case_, moderator: User, later: Later) -> Decision:
    """A decision that the platform knows."""
    return judge(open_case(), moderator, at=later(3))


def file(api: APIClient, decision: Decision, **given: Any) -> Any:
    body = {"decision": str(decision.pk), "external_id": "a-1", "reason": "It is my shop"} | given
    return api.post("/api/v1/appeals", body)


class TestAppeals:
    def test_brings_the_post_to_a_lead_once(self, api: APIClient, decided: Decision) -> None:
        first, again = file(api, decided), file(api, decided, reason="again")

        assert first.status_code == 201
        assert first.json() == again.json() == api.get(first.headers["Location"]).json()
        case = Case.objects.get(pk=first.json()["case_id"])
        assert (case.reason, case.is_escalated, first.json()["state"]) == ("appealed", True, "open")

    @pytest.mark.usefixtures("everything")
    @pytest.mark.parametrize(
        ("verdict", "state"), [(Verdict.SPAM, "upheld"), (Verdict.NOT_SPAM, "overturned")]
    )
    def test_is_settled_by_the_next_human_decision_and_told_after_the_time_for_undoing(
        self, api: APIClient, decided: Decision, lead: User, verdict: Verdict, state: str
    ) -> None:
        filed = file(api, decided).json()
        now = timezone.now()
        outcome = judge(Case.objects.get(pk=filed["case_id"]), lead, verdict=verdict, at=now)

        before = api.get(f"/api/v1/appeals/{filed['id']}").json()
        Decision.objects.filter(pk=outcome.pk).update(effective_at=now - timedelta(seconds=1))
        after = api.get(f"/api/v1/appeals/{filed['id']}").json()

        assert (before["state"], after["state"], after["outcome_id"]) == ("open", state, str(outcome.pk))
        told = Delivery.objects.get(event="appeal.decided")
        assert told.body["data"]["is_upheld"] is (state == "upheld")
        assert told.next_attempt_at == outcome.effective_at
        event = "decision.created" if state == "upheld" else "decision.reversed"
        assert told.sequence > Delivery.objects.get(event=event, decision=outcome).sequence

    def test_is_open_again_when_its_outcome_is_undone(
        self, api: APIClient, decided: Decision, everything: WebhookEndpoint, lead: User
    ) -> None:
        case = Case.objects.get(pk=file(api, decided).json()["case_id"])
        now = timezone.now()
        outcome = judge(case, lead, verdict=Verdict.NOT_SPAM, at=now)

        reversals.undo(decision_id=outcome.pk, moderator=lead, at=now + timedelta(seconds=1))

        assert Appeal.objects.get().outcome is None
        assert Delivery.objects.get(event="appeal.decided").state == DeliveryState.CANCELLED

    def test_of_what_the_platform_was_not_told_is_not_found(
        self, api: APIClient, other_api: APIClient, open_case: Case_, moderator: User, decided: Decision
    ) -> None:
        fresh = judge(open_case(text="another"), moderator, at=timezone.now())

        problem(file(api, fresh), status=404, code="not_found")
        problem(file(other_api, decided), status=404, code="not_found")

    def test_of_what_was_taken_back_or_erased_is_refused(
        self, api: APIClient, decided: Decision, lead: User, later: Later
    ) -> None:
        filed = file(api, decided).json()
        erase.post(post_id=decided.post_id, at=later(90))
        kept = Appeal.objects.get()
        gone = api.get(f"/api/v1/appeals/{filed['id']}").json()
        Appeal.objects.all().delete()

        assert (kept.reason, kept.external_id, gone["state"]) == ("", "", "erased")
        problem(file(api, decided), status=410, code="erased")
        reversals.correct(decision_id=decided.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(99))
        problem(file(api, decided), status=409, code="already_reversed")


class TestStatements:
    def test_says_who_decided_and_why(self, api: APIClient, decided: Decision) -> None:
        told = api.get(f"/api/v1/decisions/{decided.pk}/statement-of-reasons").json()

        assert told["puid"] == str(decided.pk)
        assert told["automated_decision"] == "AUTOMATED_DECISION_NOT_AUTOMATED"
        assert (told["source_type"], told["automated_detection"]) == ("SOURCE_VOLUNTARY", "Yes")
        assert told["decision_facts"] == "A person looked at the post and judged it as spam."

    @pytest.mark.parametrize(
        ("action", "state", "said"),
        [
            (None, "", {"decision_visibility": ["DECISION_VISIBILITY_CONTENT_REMOVED"]}),
            ("remove", "in_force", {"decision_visibility": ["DECISION_VISIBILITY_CONTENT_REMOVED"]}),
            ("hide", "in_force", {"decision_visibility": ["DECISION_VISIBILITY_CONTENT_DISABLED"]}),
            ("sensitive", "ended", {"decision_visibility": ["DECISION_VISIBILITY_CONTENT_LABELLED"]}),
            ("limit", "in_force", {"decision_provision": "DECISION_PROVISION_PARTIAL_SUSPENSION"}),
            ("suspend", "in_force", {"decision_account": "DECISION_ACCOUNT_SUSPENDED"}),
            ("suspend", "awaiting", None),
            ("remove", "refused", None),
            ("note", "in_force", None),
        ],
    )
    def test_says_what_is_restricted(
        self, api: APIClient, decided: Decision, action: str | None, state: str, said: dict[str, Any] | None
    ) -> None:
        if action:
            DecisionAction.objects.create(decision=decided, action=action, state=state)

        answer = api.get(f"/api/v1/decisions/{decided.pk}/statement-of-reasons")

        told = {name: value for name, value in answer.json().items() if name.startswith("decision_")}
        told = {name: told[name] for name in told if name not in ("decision_ground", "decision_facts")}
        assert (answer.status_code, told) == (200 if said else 404, said or {})

    def test_is_only_for_what_took_a_post_down(self, api: APIClient, decided: Decision) -> None:
        Decision.objects.update(verdict="not_spam")

        answer = api.get(f"/api/v1/decisions/{decided.pk}/statement-of-reasons")

        problem(answer, status=404, code="not_found")


class TestNotes:
    def test_are_read_with_the_case_without_a_name(self, lead_api: APIClient, open_case: Case_) -> None:
        case = open_case()

        made = lead_api.post(f"/api/v1/cases/{case.pk}/notes", {"note": "her shop is real"})

        assert made.status_code == 201
        assert lead_api.get(f"/api/v1/cases/{case.pk}").json()["notes"] == [made.json()]
        assert "lead" not in made.content.decode()
        assert "shop" not in str(AuditEntry.objects.get(action="case.noted").details)


class TestSecondReviews:
    def test_goes_to_somebody_else_who_does_not_see_the_first_verdict(
        self, lead_api: APIClient, decided: Decision, moderator: User, other_moderator: User
    ) -> None:
        made = lead_api.post(f"/api/v1/cases/{decided.case_id}/second-reviews", {"note": "irony?"}).json()

        now = timezone.now()
        with pytest.raises(refusals.NotAllowed):
            claims.claim(case_id=int(made["id"]), moderator=moderator, at=now)
        assert claims.claim_next(moderator=moderator, at=now) == []
        assert [case.pk for case in claims.claim_next(moderator=other_moderator, at=now)] == [int(made["id"])]
        assert (made["reason"], made["spam_probability"]) == ("second", None)

    def test_needs_a_first_decision(self, lead_api: APIClient, open_case: Case_) -> None:
        answer = lead_api.post(f"/api/v1/cases/{open_case().pk}/second-reviews", {})

        problem(answer, status=409, code="not_decided")


class TestEvents:
    def test_are_told_to_who_asked_by_name(
        self, platform: Platform, everything: WebhookEndpoint, decided: Decision, lead: User, later: Later
    ) -> None:
        rules.impose(value="evil.example", reason="pills", actor=lead, at=later(20))
        asked = exports.request(requested_by=lead, platform=platform, wanted=LabelFilter(), at=later(30))
        export_build.build(export_id=asked.pk, at=later(31))

        told = set(Delivery.objects.filter(endpoint=everything).values_list("event", flat=True))

        assert told >= {"post.scored", "case.opened", "decision.created", "rule.activated", "export.ready"}
        of_post = Delivery.objects.filter(post=decided.post).order_by("sequence")
        events = list(of_post.values_list("event", flat=True))
        assert events == ["post.scored", "case.opened", "decision.created"]

    def test_beyond_decisions_come_to_nobody_who_did_not_ask(
        self, platform: Platform, at: datetime, open_case: Case_, moderator: User, later: Later
    ) -> None:
        endpoints.add(platform=platform, url="https://plain.example/", at=at)

        judge(open_case(), moderator, at=later(3))

        assert list(Delivery.objects.values_list("event", flat=True)) == ["decision.created"]


COMPLAINTS = "/api/v1/complaints"


class TestComplaints:
    def test_is_stored_with_its_post(self, api: APIClient, payload: Payload, complaint: Payload) -> None:
        post = api.post("/api/v1/posts", payload).json()

        response = api.post(COMPLAINTS, complaint)

        row = Complaint.objects.select_related("reporter").get()
        assert response.status_code == 202
        assert response.json() == {"id": str(row.pk), "post_id": post["id"]}
        assert (row.reporter.external_id, row.external_id) == ("honest_author", "c-1")
        assert (row.reason, row.note) == ("scam", "asked me for money")
        assert row.reported_at.isoformat() == "2026-02-01T12:00:00+00:00"

    def test_waits_for_its_post_and_counts_a_reporter_once(
        self, api: APIClient, payload: Payload, complaint: Payload
    ) -> None:
        early = api.post(COMPLAINTS, complaint)

        post = api.post("/api/v1/posts", payload).json()
        again = api.post(COMPLAINTS, complaint | {"reason": "abuse", "external_id": "c-2"})

        assert (early.status_code, early.json()["post_id"]) == (202, None)
        assert again.json() == {"id": early.json()["id"], "post_id": post["id"]}

    @pytest.mark.parametrize(
        ("change", "where", "code"),
        [
            ({"reason": "boring"}, "/reason", "invalid_choice"),
            ({"reason": ""}, "/reason", "invalid_choice"),
            ({"reason": ["spam"]}, "/reason", "invalid_choice"),
            ({"reason": None}, "/reason", "null"),
            ({"post": ""}, "/post", "blank"),
            ({"post": 5}, "/post", "invalid"),
            ({"post": "p\0"}, "/post", "null_characters_not_allowed"),
            ({"reporter": {}}, "/reporter/external_id", "required"),
            ({"reporter": {"external_id": "x" * 201}}, "/reporter/external_id", "max_length"),
            ({"reporter": {"external_id": "a", "name": "b"}}, "/reporter/name", "unknown_field"),
            ({"reporter": "a"}, "/reporter", "invalid"),
            ({"note": "x" * 2_001}, "/note", "max_length"),
            ({"external_id": 9}, "/external_id", "invalid"),
            ({"reported_at": "2999-01-01T00:00:00Z"}, "/reported_at", "in_future"),
            ({"reported_at": "2026-02-01T12:00:00"}, "/reported_at", "no_offset"),
            ({"platform": "social"}, "/platform", "unknown_field"),
        ],
    )
    def test_names_the_bad_field(
        self,
        api: APIClient,
        complaint: Payload,
        nothing_stored: Callable[[], bool],
        change: Payload,
        where: str,
        code: str,
    ) -> None:
        response = api.post(COMPLAINTS, complaint | change)

        assert bad_fields(response) == {where: code}
        assert nothing_stored()

    def test_lists_the_reasons_instead_of_quoting(self, api: APIClient, complaint: Payload) -> None:
        response = api.post(COMPLAINTS, complaint | {"reason": "x" * 1_000_000})

        [error] = problem(response, status=422, code="invalid_fields")["errors"]
        assert error["detail"] == "Must be one of spam, scam, abuse, adult, impersonation, other."
