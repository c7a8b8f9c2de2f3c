"""One decision for more posts than a moderator waits for: carried out later, piece by piece."""

from datetime import datetime

import pytest

from moderation.models import CampaignDecision, Case, Decision, Label, Platform, User
from moderation.models.campaigns import CampaignDecisionState
from moderation.models.cases import CaseState
from moderation.operations.campaigns import campaign_decisions, campaign_reversals, decide_large
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns import campaign_posts


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four are many here."""
    monkeypatch.setattr(campaign_decisions, "AT_ONCE", 4)
    monkeypatch.setattr(campaign_reversals, "AT_ONCE", 4)
    monkeypatch.setattr(decide_large, "PIECE", 2)


def carried_out(decision: CampaignDecision, at: datetime) -> CampaignDecision:
    decide_large.run_pieces(campaign_decision_id=decision.pk, at=at)
    decision.refresh_from_db()
    return decision


def test_waits_for_the_time_to_undo_and_then_goes_piece_by_piece(ruling: CampaignDecision) -> None:
    assert (ruling.state, ruling.settled) == (CampaignDecisionState.WAITING, 0)

    assert not decide_large.run_piece(campaign_decision_id=ruling.pk, at=later(65))
    assert decide_large.run_piece(campaign_decision_id=ruling.pk, at=later(70))
    ruling.refresh_from_db()
    assert (ruling.state, ruling.settled) == (CampaignDecisionState.RUNNING, 2)

    assert carried_out(ruling, later(71)).state == CampaignDecisionState.DONE
    assert ruling.settled == 5
    assert Label.objects.count() == 5


def test_undone_before_it_begins_does_nothing(ruling: CampaignDecision, moderator: User) -> None:
    campaign_reversals.undo(campaign_decision_id=ruling.pk, moderator=moderator, at=later(69))

    assert carried_out(ruling, later(80)).settled == 0
    assert not Decision.objects.exists()


def test_leaves_out_who_joins_meanwhile(platform: Platform, ruling: CampaignDecision) -> None:
    [late] = campaign_posts.accept(platform, [campaign_posts.incoming(9, at=later(61))], at=later(61))
    campaign_posts.run_all([late], at=later(62))

    carried_out(ruling, later(75))

    assert Case.objects.get(state=CaseState.OPEN).post_id == late.pk


def test_leaves_out_who_begins_to_wait_meanwhile(
    platform: Platform, fake_scorer: FakeScorer, moderator: User
) -> None:
    pills = campaign_posts.opened(platform, 5, at=AT)
    unscored = campaign_posts.accept(platform, [campaign_posts.incoming(8, at=later(1))], at=later(1))
    campaign_posts.gather(unscored, at=later(2))
    made = campaign_posts.decide(pills, campaign_posts.spam(5), by=moderator, at=later(60))
    campaign_posts.run_all(unscored, at=later(62))

    done = carried_out(made, later(75))

    assert (done.state, done.settled) == (CampaignDecisionState.DONE, 5)
    assert Case.objects.get(state=CaseState.OPEN).post_id == unscored[0].pk


def test_is_found_again_when_its_message_was_lost(ruling: CampaignDecision) -> None:
    assert decide_large.sweep(at=later(65)) == 0
    assert decide_large.sweep(at=later(75)) == 1
    decide_large.run_piece(campaign_decision_id=ruling.pk, at=later(75))
    assert decide_large.sweep(at=later(76)) == 0
    assert decide_large.sweep(at=later(200)) == 1


def test_is_corrected_piece_by_piece(ruling: CampaignDecision, moderator: User) -> None:
    carried_out(ruling, later(75))

    correction = campaign_posts.correct(ruling, by=moderator, at=later(600))

    assert correction.state == CampaignDecisionState.RUNNING
    assert carried_out(correction, later(601)).settled == 5
    assert Label.objects.filter(retracted_at__isnull=True, is_spam=False).count() == 5
