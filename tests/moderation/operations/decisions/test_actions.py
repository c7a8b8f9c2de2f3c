"""Actions beside the verdict: which rule counts, who confirms, what is undone, when it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation.models import (
    ActionRule,
    AuditEntry,
    Case,
    Decision,
    DecisionAction,
    Delivery,
    FeedEntry,
    Platform,
    User,
    WebhookEndpoint,
)
from moderation.models.actions import Action, ActionState
from moderation.models.cases import CaseReason
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.feed import Stream
from moderation.models.webhooks import WebhookEvent
from moderation.operations.campaigns import campaign_reversals
from moderation.operations.cases import opening, reversals
from moderation.operations.decisions import actions
from moderation.operations.outbox import feed
from moderation.operations.refusals import NotAllowed
from moderation.queries import wire
from moderation.queries.decisions import actions as action_rows
from tests.moderation.conftest import Case_, Post_, judge, scored
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import decide, opened, spam

UNTIL = "2026-03-08T12:00:20Z"
DAY = 86_400.0


@pytest.fixture
def _events(webhook: Platform) -> None:
    WebhookEndpoint.objects.update(events=WebhookEvent.values)


def rule(platform: Platform, action: Action, **given: Any) -> ActionRule:
    return ActionRule.objects.create(platform=platform, action=action, **{"verdict": "spam"} | given)


def told(event: str) -> list[dict[str, Any]]:
    """Return what each message of this event says about actions, in the order of sending."""
    rows = Delivery.objects.filter(event=event).exclude(state="cancelled").order_by("created_at", "sequence")
    names = ("actions", "awaiting", "undo")
    return [{name: row.body["data"][name] for name in names if name in row.body["data"]} for row in rows]


def action_of(decision: Decision) -> DecisionAction:
    return DecisionAction.objects.get(decision=decision)


class TestChoice:
    @pytest.mark.parametrize(
        ("reason", "source", "action"),
        [
            ("scam", DecisionSource.MODERATOR, "suspend"),
            ("scam", DecisionSource.AUTOMATIC, "limit"),
            ("other", DecisionSource.AUTOMATIC, "hide"),
            ("", DecisionSource.MODERATOR, "note"),
        ],
    )
    def test_takes_the_most_specific_rule(
        self, platform: Platform, reason: str, source: str, action: str
    ) -> None:
        rule(platform, Action.NOTE)
        rule(platform, Action.HIDE, decided_by="automatic")
        rule(platform, Action.LIMIT, reason="scam")
        rule(platform, Action.SUSPEND, reason="scam", decided_by="person")
        rules = action_rows.rules([platform.pk])

        found = action_rows.chosen(
            rules, platform_id=platform.pk, verdict="spam", reason=reason, source=source
        )
        other = action_rows.chosen(
            rules, platform_id=platform.pk, verdict="not_spam", reason=reason, source=source
        )

        assert found is not None
        assert (found.action, other) == (action, None)

    @pytest.mark.usefixtures("_events")
    def test_without_a_rule_says_and_stores_nothing(self, open_case: Case_, moderator: User) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        rule(other, Action.SUSPEND)

        judge(open_case(), moderator, at=later(10))

        data = Delivery.objects.get(event="decision.created").body["data"]
        decision = Decision.objects.select_related("post", "revision", "score").get()
        assert data == wire.decision(decision, reverses=None) | {"sequence": 3}
        assert not DecisionAction.objects.exists()
        assert "actions" not in AuditEntry.objects.get(action="decision.created").details

    @pytest.mark.usefixtures("_events")
    def test_names_the_action_and_its_end(
        self, platform: Platform, open_case: Case_, moderator: User
    ) -> None:
        rule(platform, Action.LIMIT, days=7)

        judge(open_case(), moderator, at=later(10))

        expected = [{"action": "limit", "until": UNTIL}]
        assert told("decision.created") == [{"actions": expected}]
        assert AuditEntry.objects.get(action="decision.created").details["actions"] == expected

    @pytest.mark.usefixtures("_events")
    def test_says_that_nothing_more_is_done(
        self, platform: Platform, open_case: Case_, moderator: User
    ) -> None:
        rule(platform, Action.NOTHING)

        decision = judge(open_case(), moderator, at=later(10))
        reversals.correct(
            decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60)
        )

        assert told("decision.reversed") == [{}]
        assert action_of(decision).state == ActionState.IN_FORCE

    def test_costs_as_many_queries_for_two_hundred_as_for_five(
        self, platform: Platform, moderator: User, lead: User, fake_scorer: FakeScorer
    ) -> None:
        rule(platform, Action.SUSPEND, needs_second_name=True, days=1)
        counts = []
        for size, text in (
            (5, "one word two words three words four"),
            (200, "alpha beta gamma delta epsilon zeta"),
        ):
            found = opened(platform, size, at=AT, text=text)
            with CaptureQueriesContext(connection) as queries:
                made = decide(found, spam(size, confirmed_count=size), by=moderator, at=later(60))
                one = Decision.objects.filter(campaign_decision=made)[0].pk
                answered = actions.answer(decision_id=one, is_confirmed=True, user=lead, at=later(100))
                ended = actions.sweep(at=later(2 * DAY))
            assert (answered, ended) == (size, size)
            counts.append(len(queries))

        assert counts[0] == counts[1]


@pytest.mark.usefixtures("_events")
class TestSecondName:
    @pytest.fixture
    def awaiting(self, platform: Platform, open_case: Case_, moderator: User) -> Decision:
        rule(platform, Action.SUSPEND, needs_second_name=True, days=7)
        return judge(open_case(), moderator, at=later(10))

    def test_goes_out_as_awaiting_and_again_when_confirmed(
        self, platform: Platform, awaiting: Decision, lead: User
    ) -> None:
        feed.number(platform_id=platform.pk, stream=Stream.DECISIONS, at=later(60))

        actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=lead, at=later(100))

        action = action_of(awaiting)
        assert told("decision.created") == [{"actions": [], "awaiting": "suspend"}]
        assert told("action.confirmed") == [
            {"actions": [{"action": "suspend", "until": "2026-03-08T12:01:40Z"}]}
        ]
        assert (action.state, action.confirmed_by, action.until) == ("in_force", lead, later(7 * DAY + 100))
        entry = FeedEntry.objects.get(decision=awaiting, stream=Stream.DECISIONS)
        assert (entry.number, entry.due_at) == (None, later(100))
        assert AuditEntry.objects.filter(action="action.confirmed", actor=lead).count() == 1

    def test_is_not_told_before_its_decision(self, awaiting: Decision, lead: User) -> None:
        actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=lead, at=later(11))

        due = Delivery.objects.get(event="action.confirmed").next_attempt_at
        assert due == awaiting.effective_at
        assert action_of(awaiting).until == awaiting.effective_at + timedelta(days=7)

    def test_may_be_refused(self, awaiting: Decision, lead: User, other_moderator: User) -> None:
        actions.answer(decision_id=awaiting.pk, is_confirmed=False, user=lead, at=later(100))

        assert (action_of(awaiting).state, told("action.confirmed")) == (ActionState.REFUSED, [])
        assert AuditEntry.objects.get(action="action.refused").details["chosen"] == "suspend"
        with pytest.raises(actions.NothingAwaits):
            actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=lead, at=later(101))

    def test_is_no_moderators_business(self, awaiting: Decision, other_moderator: User) -> None:
        with pytest.raises(NotAllowed):
            actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=other_moderator, at=later(100))

        assert action_of(awaiting).state == ActionState.AWAITING

    def test_is_never_the_deciders_not_even_after_undo(
        self, platform: Platform, open_case: Case_, lead: User
    ) -> None:
        rule(platform, Action.SUSPEND, needs_second_name=True)
        first = judge(open_case(), lead, at=later(10))
        case = reversals.undo(decision_id=first.pk, moderator=lead, at=later(12))
        again = judge(case, lead, at=later(14))

        with pytest.raises(actions.NothingAwaits):
            actions.answer(
                decision_id=first.pk,
                is_confirmed=True,
                user=User.objects.create_user("b", role="lead"),
                at=AT,
            )
        with pytest.raises(NotAllowed):
            actions.answer(decision_id=again.pk, is_confirmed=True, user=lead, at=later(20))

        assert action_of(again).state == ActionState.AWAITING

    def test_of_a_campaign_is_asked_once_and_not_of_its_decider(
        self, platform: Platform, lead: User, fake_scorer: FakeScorer
    ) -> None:
        rule(platform, Action.SUSPEND, needs_second_name=True)
        made = decide(opened(platform, 5, at=AT), spam(5), by=lead, at=later(60))
        first = Decision.objects.filter(campaign_decision=made)[0].pk

        with pytest.raises(NotAllowed):
            actions.answer(decision_id=first, is_confirmed=True, user=lead, at=later(100))
        second = User.objects.create_user("second", role="lead")

        assert actions.answer(decision_id=first, is_confirmed=True, user=second, at=later(100)) == 5
        assert len(told("action.confirmed")) == 5


@pytest.mark.usefixtures("_events")
class TestUndone:
    def test_names_what_to_take_back(self, platform: Platform, open_case: Case_, moderator: User) -> None:
        rule(platform, Action.LIMIT, days=7)
        rule(platform, Action.NOTE, verdict="not_spam")
        wrong = judge(open_case(), moderator, at=later(10))

        reversals.correct(decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60))

        assert told("decision.reversed") == [
            {"actions": [{"action": "note", "until": None}], "undo": ["limit"]}
        ]
        assert actions.sweep(at=later(8 * DAY)) == 0

    @pytest.mark.parametrize("confirmed", [True, False])
    def test_takes_back_only_what_was_confirmed(
        self, platform: Platform, open_case: Case_, moderator: User, lead: User, confirmed: bool
    ) -> None:
        rule(platform, Action.SUSPEND, needs_second_name=True)
        wrong = judge(open_case(), moderator, at=later(10))
        if confirmed:
            actions.answer(decision_id=wrong.pk, is_confirmed=True, user=lead, at=later(50))

        reversals.correct(decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60))

        assert told("decision.reversed") == [{"undo": ["suspend"]} if confirmed else {}]
        with pytest.raises(actions.NothingAwaits):
            actions.answer(decision_id=wrong.pk, is_confirmed=True, user=lead, at=later(70))

    def test_takes_back_what_the_filter_did(
        self, platform: Platform, post: Post_, fake_scorer: FakeScorer, moderator: User
    ) -> None:
        """No decision is reversed when a person decides what the filter had decided."""
        rule(platform, Action.LIMIT)
        fake_scorer.default = 0.95
        removed = post()
        assert not scored([removed], at=later(1))
        with transaction.atomic():
            case = opening.opened(removed, reason=CaseReason.SECOND, at=later(5))

        judge(case, moderator, at=later(10), verdict=Verdict.NOT_SPAM)

        assert told("decision.created") == [
            {"actions": [{"action": "limit", "until": None}]},
            {"undo": ["limit"]},
        ]

    def test_stands_again_when_its_contradiction_is_undone(
        self, platform: Platform, open_case: Case_, moderator: User, other_moderator: User
    ) -> None:
        rule(platform, Action.LIMIT, days=7)
        case = open_case()
        first = judge(case, moderator, at=later(10))
        Case.objects.filter(pk=case.pk).update(state="open", closed_at=None, version=2)
        other = judge(case, other_moderator, at=later(30), verdict=Verdict.NOT_SPAM)
        assert action_of(first).undone_by == other

        reversals.undo(decision_id=other.pk, moderator=other_moderator, at=later(32))

        assert action_of(first).undone_by is None
        assert actions.sweep(at=later(8 * DAY)) == 1

    def test_of_a_campaign(self, platform: Platform, moderator: User, fake_scorer: FakeScorer) -> None:
        rule(platform, Action.LIMIT)
        made = decide(opened(platform, 5, at=AT), spam(5), by=moderator, at=later(60))

        campaign_reversals.correct(
            campaign_decision_id=made.pk, moderator=moderator, reason="", at=later(200)
        )

        assert told("decision.reversed") == [{"undo": ["limit"]}] * 5


@pytest.mark.usefixtures("_events")
class TestEnd:
    @pytest.fixture
    def limited(self, platform: Platform, open_case: Case_, moderator: User) -> Decision:
        rule(platform, Action.LIMIT, days=7)
        return judge(open_case(), moderator, at=later(10))

    def test_is_told_once(self, limited: Decision) -> None:
        counts = [actions.sweep(at=later(when)) for when in (7 * DAY, 7 * DAY + 20, 7 * DAY + 40)]

        assert counts == [0, 1, 0]
        assert told("action.ended") == [{"actions": [], "undo": ["limit"]}]
        assert action_of(limited).state == ActionState.ENDED

    def test_is_not_undone_later(self, limited: Decision, moderator: User) -> None:
        actions.sweep(at=later(8 * DAY))

        reversals.correct(
            decision_id=limited.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(9 * DAY)
        )

        assert told("decision.reversed") == [{}]

    def test_waits_for_the_last_of_two_alike(self, limited: Decision, other_moderator: User) -> None:
        Case.objects.update(state="open", closed_at=None, version=2)
        case = Case.objects.get()
        judge(case, other_moderator, at=later(DAY))

        assert actions.sweep(at=later(7.5 * DAY)) == 0
        assert actions.sweep(at=later(8.5 * DAY)) == 1
        assert told("decision.created")[1] == {
            "actions": [{"action": "limit", "until": "2026-03-09T12:00:10Z"}]
        }
