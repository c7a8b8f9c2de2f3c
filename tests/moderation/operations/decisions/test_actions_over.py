"""Actions that are over: undone by another decision, or ended."""

import pytest
from django.db import transaction

from moderation.models import Case, Decision, Platform, User
from moderation.models.actions import Action, ActionState
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_reversals
from moderation.operations.cases import opening, reversals
from moderation.operations.decisions import actions
from tests.moderation.conftest import Case_, Post_, judge, scored
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import decide, opened, spam
from tests.moderation.operations.decisions.acted import DAY, action_of, rule, told


@pytest.mark.usefixtures("every_event")
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


@pytest.mark.usefixtures("every_event")
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
