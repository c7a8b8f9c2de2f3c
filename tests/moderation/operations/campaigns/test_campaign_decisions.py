"""One decision for a whole campaign: what it settles and refuses, how it is undone and corrected."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import (
    AuditEntry,
    Campaign,
    CampaignDecision,
    CampaignMember,
    Case,
    Decision,
    Delivery,
    Label,
    Platform,
    Reversal,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations import refusals
from moderation.operations.accounts import platforms
from moderation.operations.campaigns import campaign_decisions, campaign_reversals
from moderation.operations.cases import claims, reversals, review
from moderation.queries.campaigns import campaign_pages
from moderation.queries.campaigns.campaign_members import Place
from moderation.queries.decisions import last_act
from tests.moderation.conftest import judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import (
    accept,
    correct,
    decide,
    incoming,
    leave_out,
    opened,
    run_all,
    spam,
)


@pytest.mark.usefixtures("fake_scorer")
class TestDecide:
    def test_gives_each_post_its_decision_label_audit_entry_and_delivery(
        self, webhook: Platform, pills: Campaign, moderator: User
    ) -> None:
        made = decide(pills, spam(5), by=moderator, at=later(60))

        decisions = Decision.objects.filter(campaign_decision=made)
        assert decisions.count() == 5
        assert {one.source for one in decisions} == {DecisionSource.MODERATOR}
        assert {one.effective_at for one in decisions} == {later(70)}
        assert Label.objects.filter(is_spam=True, retracted_at__isnull=True).count() == 5
        assert Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at=later(70)).count() == 5
        entries = AuditEntry.objects.filter(action="decision.created")
        assert [entry.details["campaign"] for entry in entries] == [pills.pk] * 5
        assert not Case.objects.filter(state=CaseState.OPEN).exists()
        made.refresh_from_db()
        assert (made.state, made.posts, made.settled) == ("done", 5, 5)

    def test_takes_in_again(self, pills: Campaign, moderator: User) -> None:
        post = CampaignMember.objects.filter(campaign=pills)[0].post_id
        for is_left_out in (True, False):
            leave_out(pills, post, by=moderator, at=later(50), is_left_out=is_left_out)

        decide(pills, spam(5), by=moderator, at=later(60))

        assert Decision.objects.count() == 5

    def test_keeps_what_somebody_decided_alone(
        self, pills: Campaign, moderator: User, other_moderator: User
    ) -> None:
        case = Case.objects.order_by("id")[0]
        judge(case, other_moderator, at=later(4), verdict=Verdict.NOT_SPAM)

        decide(pills, spam(4), by=moderator, at=later(60))

        assert Decision.objects.get(post=case.post).verdict == Verdict.NOT_SPAM

    def test_shows_the_winner_to_who_held_a_case(
        self, pills: Campaign, moderator: User, other_moderator: User
    ) -> None:
        case = Case.objects.order_by("id")[0]
        claims.claim(case_id=case.pk, moderator=other_moderator, at=later(59))

        decide(pills, spam(5), by=moderator, at=later(60))

        with pytest.raises(refusals.AlreadyDecided) as refusal:
            review.decide(
                case_id=case.pk, case_version=1, moderator=other_moderator, verdict=Verdict.SPAM, at=later(61)
            )
        assert refusal.value.decision.decided_by == moderator

    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.CAMPAIGN])
    def test_leaves_samples_to_be_judged_alone(
        self, pills: Campaign, moderator: User, reason: CaseReason
    ) -> None:
        sample = Case.objects.order_by("id")[0]
        Case.objects.filter(pk=sample.pk).update(reason=reason)

        decide(pills, spam(4), by=moderator, at=later(60))

        assert Case.objects.get(state=CaseState.OPEN).pk == sample.pk

    def test_leaves_escalated_cases_to_leads_but_for_those_of_a_platform_that_is_off(
        self, pills: Campaign, moderator: User, lead: User, platform: Platform
    ) -> None:
        platforms.switch_off(platform_id=platform.pk, actor=lead, at=later(50))
        with pytest.raises(campaign_decisions.CountMoved):
            decide(pills, spam(5), by=lead, at=later(59))
        platforms.switch_on(platform_id=platform.pk, actor=lead, at=later(59))
        Case.objects.filter(pk=Case.objects.order_by("id")[0].pk).update(is_escalated=True)

        with pytest.raises(campaign_decisions.CountMoved):
            decide(pills, spam(5), by=moderator, at=later(60))
        decide(pills, spam(5), by=lead, at=later(61))

        assert Decision.objects.count() == 5

    def test_includes_what_the_filter_let_through_if_asked(
        self, platform: Platform, fake_scorer: FakeScorer, moderator: User
    ) -> None:
        pills = opened(platform, 3, at=AT)
        fake_scorer.default = 0.1
        run_all(accept(platform, [incoming(7, at=later(1))], at=later(1)), at=later(2))
        places = campaign_pages.page(campaign_id=pills.pk, viewer=moderator, at=later(2)).counts
        assert (places[Place.WAITING], places[Place.ALLOWED]) == (3, 1)

        decide(pills, spam(4, has_filtered=True), by=moderator, at=later(60))

        assert Decision.objects.filter(decided_by=moderator, verdict=Verdict.SPAM).count() == 4
        assert Label.objects.count() == 4

    @pytest.mark.parametrize("state", ["waiting", "running"])
    def test_refuses_while_an_earlier_one_is_carried_out(
        self, ruling: CampaignDecision, lead: User, state: str
    ) -> None:
        CampaignDecision.objects.update(state=state)

        with pytest.raises(campaign_decisions.StillRunning):
            decide(ruling.campaign, spam(5), by=lead, at=later(90))

    def test_refuses_when_nothing_waits(self, pills: Campaign, moderator: User) -> None:
        decide(pills, spam(5), by=moderator, at=later(60))

        with pytest.raises(campaign_decisions.NothingToDecide):
            decide(pills, spam(0), by=moderator, at=later(61))

    def test_takes_as_many_queries_for_200_as_for_five(self, platform: Platform, moderator: User) -> None:
        counts = []
        for size, text in (
            (5, "one word two words three words four"),
            (200, "alpha beta gamma delta epsilon zeta"),
        ):
            found = opened(platform, size, at=AT, text=text)
            with CaptureQueriesContext(connection) as queries:
                decide(found, spam(size, confirmed_count=size), by=moderator, at=later(60))
            counts.append(len(queries))

        assert counts[0] == counts[1] <= 27

    @pytest.mark.usefixtures("ruling")
    def test_is_no_single_decision_to_undo(self, moderator: User) -> None:
        assert last_act.undoable(moderator=moderator, at=later(61)) is None


class TestUndo:
    def test_opens_every_case_again_and_tells_nobody(
        self, webhook: Platform, ruling: CampaignDecision, moderator: User
    ) -> None:
        campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(65))

        assert Case.objects.filter(state=CaseState.OPEN, claimed_by__isnull=True, version=2).count() == 5
        assert Delivery.objects.filter(state=DeliveryState.CANCELLED).count() == 5
        assert not Label.objects.filter(retracted_at__isnull=True).exists()
        assert Reversal.objects.filter(replacement__isnull=True).count() == 5
        assert AuditEntry.objects.filter(action="decision.undone").count() == 5
        page = campaign_pages.page(campaign_id=ruling.campaign_id, viewer=moderator, at=later(65))
        assert page.counts[Place.WAITING] == 5

    def test_happens_once_by_who_decided_and_leaves_it_to_be_decided_again(
        self, ruling: CampaignDecision, moderator: User, lead: User
    ) -> None:
        with pytest.raises(refusals.NotAllowed):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=lead, at=later(61))
        campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(61))

        with pytest.raises(reversals.AlreadyReversed):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(62))
        decide(ruling.campaign, spam(5), by=moderator, at=later(62))

        assert Label.objects.filter(retracted_at__isnull=True).count() == 5

    def test_ends_when_the_platform_knows(self, ruling: CampaignDecision, moderator: User) -> None:
        with pytest.raises(reversals.TooLate):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(70))


class TestCorrect:
    def test_leaves_what_was_corrected_alone_before(self, ruling: CampaignDecision, moderator: User) -> None:
        first = Decision.objects.filter(campaign_decision=ruling)[0]
        reversals.correct(
            decision_id=first.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, reason="", at=later(500)
        )

        correction = correct(ruling, by=moderator, at=later(600))

        assert Decision.objects.filter(campaign_decision=correction).count() == 4

    def test_waits_for_the_time_to_undo_and_of_others_is_for_leads(
        self, ruling: CampaignDecision, moderator: User, other_moderator: User, lead: User
    ) -> None:
        with pytest.raises(campaign_reversals.TooEarly):
            correct(ruling, by=moderator, at=later(61))
        with pytest.raises(refusals.NotAllowed):
            correct(ruling, by=other_moderator, at=later(600))
        correct(ruling, by=lead, at=later(601))

        assert Decision.objects.filter(verdict=Verdict.NOT_SPAM, decided_by=lead).count() == 5
