"""A decision on a campaign is undone before the platform knows of it, and corrected afterwards."""

from __future__ import annotations

import pytest

from moderation.models import (
    AuditEntry,
    CampaignDecision,
    Case,
    Decision,
    Delivery,
    Label,
    Platform,
    Reversal,
    User,
)
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations import refusals
from moderation.operations.campaigns import campaign_reversals
from moderation.operations.cases import reversals
from moderation.queries.campaigns import campaign_members
from moderation.queries.campaigns.campaign_members import Place
from tests.moderation.instants import later
from tests.moderation.operations.campaigns.campaign_posts import correct, decide, spam


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
        assert campaign_members.counts(campaign_id=ruling.campaign_id)[Place.WAITING] == 5

    def test_happens_once_and_leaves_it_to_be_decided_again(
        self, ruling: CampaignDecision, moderator: User
    ) -> None:
        campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(61))

        with pytest.raises(reversals.AlreadyReversed):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(62))
        decide(ruling.campaign, spam(5), by=moderator, at=later(62))

        assert Label.objects.filter(retracted_at__isnull=True).count() == 5

    def test_belongs_to_who_decided_until_the_platform_knows(
        self, ruling: CampaignDecision, moderator: User, lead: User
    ) -> None:
        with pytest.raises(refusals.NotAllowed):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=lead, at=later(61))
        with pytest.raises(reversals.TooLate):
            campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(70))


class TestCorrect:
    def test_compensates_every_post_once(
        self, webhook: Platform, ruling: CampaignDecision, moderator: User
    ) -> None:
        Delivery.objects.update(state=DeliveryState.DELIVERED, attempts=1)

        correction = correct(ruling, by=moderator, at=later(600))

        told = Delivery.objects.filter(event="decision.reversed", state=DeliveryState.WAITING)
        assert told.count() == 5
        assert Decision.objects.filter(campaign_decision=correction, verdict=Verdict.NOT_SPAM).count() == 5
        assert Label.objects.filter(retracted_at__isnull=True, is_spam=False).count() == 5
        assert Label.objects.filter(retracted_at__isnull=False, is_spam=True).count() == 5
        assert Reversal.objects.filter(replacement__isnull=False).count() == 5
        with pytest.raises(reversals.AlreadyReversed):
            correct(ruling, by=moderator, at=later(601))

    def test_leaves_what_was_corrected_alone_before(self, ruling: CampaignDecision, moderator: User) -> None:
        first = Decision.objects.filter(campaign_decision=ruling)[0]
        reversals.correct(
            decision_id=first.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, reason="", at=later(500)
        )

        correction = correct(ruling, by=moderator, at=later(600))

        assert Decision.objects.filter(campaign_decision=correction).count() == 4

    def test_waits_for_the_time_to_undo(self, ruling: CampaignDecision, moderator: User) -> None:
        with pytest.raises(campaign_reversals.TooEarly):
            correct(ruling, by=moderator, at=later(61))

    def test_of_others_is_for_leads(
        self, ruling: CampaignDecision, moderator: User, other_moderator: User, lead: User
    ) -> None:
        with pytest.raises(refusals.NotAllowed):
            correct(ruling, by=other_moderator, at=later(600))
        correct(ruling, by=lead, at=later(601))

        assert Decision.objects.filter(verdict=Verdict.NOT_SPAM, decided_by=lead).count() == 5
