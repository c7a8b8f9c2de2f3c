"""Actions beside the verdict: which rule counts, what is told, and who confirms."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import AuditEntry, Decision, DecisionAction, Delivery, FeedEntry, Platform, User
from moderation.models.actions import Action, ActionState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.feed import Stream
from moderation.operations.cases import reversals
from moderation.operations.decisions import actions
from moderation.operations.outbox import feed
from moderation.operations.refusals import NotAllowed
from moderation.queries import wire
from moderation.queries.decisions import actions as action_rows
from tests.moderation.conftest import Case_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import decide, opened, spam
from tests.moderation.operations.decisions.acted import DAY, action_of, rule, told

UNTIL = "2026-03-08T12:00:20Z"


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
    def test_takes_the_closest_rule(self, platform: Platform, reason: str, source: str, action: str) -> None:
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

    @pytest.mark.usefixtures("every_event")
    def test_without_a_rule_says_and_stores_nothing(self, open_case: Case_, moderator: User) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        rule(other, Action.SUSPEND)

        judge(open_case(), moderator, at=later(10))

        data = Delivery.objects.get(event="decision.created").body["data"]
        decision = Decision.objects.select_related("post", "revision", "score").get()
        assert data == wire.decision(decision, reverses=None) | {"sequence": 3}
        assert not DecisionAction.objects.exists()
        assert "actions" not in AuditEntry.objects.get(action="decision.created").details

    @pytest.mark.usefixtures("every_event")
    def test_names_an_action_and_its_end(self, platform: Platform, open_case: Case_, moderator: User) -> None:
        rule(platform, Action.LIMIT, days=7)

        judge(open_case(), moderator, at=later(10))

        expected = [{"action": "limit", "until": UNTIL}]
        assert told("decision.created") == [{"actions": expected}]
        details = AuditEntry.objects.get(action="decision.created").details
        assert (details["actions"], "statement" in details) == (expected, False)
        statement = Delivery.objects.get(event="decision.created").body["data"]["statement"]
        assert statement["decision_provision"] == "DECISION_PROVISION_PARTIAL_SUSPENSION"
        assert statement["end_date_service_restriction"] == "2026-03-08"
        assert statement["decision_facts"] == "A person looked at the post and judged it as spam."
        assert "decision_visibility" not in statement

    @pytest.mark.usefixtures("every_event")
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


@pytest.mark.usefixtures("every_event")
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
        bodies = dict(Delivery.objects.filter(decision=awaiting).values_list("event", "body"))
        assert "statement" not in bodies["decision.created"]["data"]
        statement = bodies["action.confirmed"]["data"]["statement"]
        assert statement["decision_account"] == "DECISION_ACCOUNT_SUSPENDED"
        assert statement["end_date_account_restriction"] == "2026-03-08"
        entry = FeedEntry.objects.get(decision=awaiting, stream=Stream.DECISIONS)
        assert (entry.number, entry.due_at) == (None, later(100))
        assert AuditEntry.objects.filter(action="action.confirmed", actor=lead).count() == 1

    def test_is_not_told_before_its_decision(self, awaiting: Decision, lead: User) -> None:
        actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=lead, at=later(11))

        due = Delivery.objects.get(event="action.confirmed").next_attempt_at
        assert due == awaiting.effective_at
        assert action_of(awaiting).until == awaiting.effective_at + timedelta(days=7)

    def test_may_be_refused_but_is_no_moderators_business(
        self, awaiting: Decision, lead: User, other_moderator: User
    ) -> None:
        with pytest.raises(NotAllowed):
            actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=other_moderator, at=later(99))
        assert action_of(awaiting).state == ActionState.AWAITING

        actions.answer(decision_id=awaiting.pk, is_confirmed=False, user=lead, at=later(100))

        assert (action_of(awaiting).state, told("action.confirmed")) == (ActionState.REFUSED, [])
        assert AuditEntry.objects.get(action="action.refused").details["chosen"] == "suspend"
        with pytest.raises(actions.NothingAwaits):
            actions.answer(decision_id=awaiting.pk, is_confirmed=True, user=lead, at=later(101))

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
