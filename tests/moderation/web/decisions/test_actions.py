"""Actions on pages: what a decision would do, what it did, and what awaits a second person."""

import pytest
from django.test import Client

from moderation.models import ActionRule, Case, Decision, DecisionAction, Platform, Reason, User
from moderation.models.cases import CaseState
from moderation.operations.webhooks import caller
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import flat, read

PAGE = "/decisions/actions/"


@pytest.fixture
def awaiting(platform: Platform, open_case: Case_, decided: Decided) -> Decision:
    """A moderator's decision that would suspend an account."""
    ActionRule.objects.create(platform=platform, verdict="spam", action="suspend", needs_second_name=True)
    return decided(open_case())


class TestPage:
    def test_lets_a_lead_confirm_what_a_moderator_decided(
        self, awaiting: Decision, lead_desk: Client, lead: User
    ) -> None:
        body = flat(read(lead_desk, PAGE))
        assert "Suspend the account:" in body
        assert "grey cat" in body
        assert ">1</span>" in read(lead_desk, "/notifications/")

        answer = lead_desk.post(f"/decisions/{awaiting.pk}/action/", {"answer": "confirm"}, follow=True)

        assert "No action waits for you" in answer.content.decode()
        assert DecisionAction.objects.get().confirmed_by == lead
        assert "awaiting" in read(lead_desk, "/notifications/")
        assert "Actions to confirm" not in read(lead_desk, "/notifications/")
        assert "suspend the account: in force (lead)" in flat(read(lead_desk, f"/review/{awaiting.case_id}/"))

    def test_says_what_nothing_takes_back(
        self, awaiting: Decision, lead_desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "cannot be undone" not in read(lead_desk, PAGE)
        monkeypatch.setattr(caller, "final_actions", lambda _: frozenset({"suspend"}))

        assert "cannot be undone" in read(lead_desk, PAGE)

    def test_keeps_a_refusal(self, awaiting: Decision, lead_desk: Client) -> None:
        lead_desk.post(f"/decisions/{awaiting.pk}/action/", {"answer": "refuse"})
        again = lead_desk.post(f"/decisions/{awaiting.pk}/action/", {"answer": "confirm"}, follow=True)

        assert DecisionAction.objects.get().state == "refused"
        assert "no longer waits" in again.content.decode()

    def test_does_not_list_own_decisions(self, awaiting: Decision, lead: User, lead_desk: Client) -> None:
        Decision.objects.update(decided_by=lead)

        assert "No action waits for you" in read(lead_desk, PAGE)

    def test_does_not_tell_of_a_post_that_is_to_be_judged_blindly(
        self, awaiting: Decision, lead_desk: Client
    ) -> None:
        Case.objects.update(state=CaseState.OPEN, reason="blind")

        assert "grey cat" not in read(lead_desk, PAGE)


class TestDesk:
    @pytest.fixture
    def claimed(self, open_case: Case_, desk: Client) -> Case:
        case = open_case()
        desk.post(f"/review/{case.pk}/claim/")
        return case

    def test_says_what_decisions_do_by_reason(self, platform: Platform, claimed: Case, desk: Client) -> None:
        Reason.objects.all().delete()
        reason = Reason.objects.create(code="scam", title="Scam", digit=1, verdict="spam")
        ActionRule.objects.create(platform=platform, verdict="spam", action="limit", days=7)
        ActionRule.objects.create(
            platform=platform, verdict="spam", reason=reason.code, action="suspend", needs_second_name=True
        )
        ActionRule.objects.create(platform=platform, verdict="spam", decided_by="automatic", action="hide")

        body = flat(read(desk, f"/review/{claimed.pk}/"))

        assert "Spam also: limit the account for 7 days" in body
        assert "Spam also: suspend the account (asks a second person)" in body
        assert "hide the post" not in body

    def test_says_nothing_without_rules(self, claimed: Case, desk: Client) -> None:
        body = read(desk, f"/review/{claimed.pk}/")

        assert "data-follow-up" not in body
