"""Trial 9: a decision on a campaign while forty new members join, against the real database."""

from dataclasses import replace

import pytest

from moderation.models import (
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
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.cases import reversals
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns import campaign_posts
from tests.moderation.operations.conftest import side_by_side

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fake_scorer")]

SIZE, JOINING = 60, 40


def test_a_decision_while_members_join_settles_all_or_none(webhook: Platform, moderator: User) -> None:
    pills = campaign_posts.opened(webhook, SIZE, at=AT)
    left_out = CampaignMember.objects.filter(campaign=pills).order_by("-id")[0].post_id
    campaign_posts.leave_out(pills, left_out, by=moderator, at=later(10))
    joining = campaign_posts.accept(
        webhook, [campaign_posts.incoming(n, at=later(20)) for n in range(JOINING)], at=later(20)
    )
    expected = SIZE - 1

    parts = [joining[number::4] for number in range(4)]
    outcomes = side_by_side(
        lambda: campaign_posts.decide(
            pills, campaign_posts.spam(expected, confirmed_count=expected), by=moderator, at=later(60)
        ),
        *(lambda part=part: campaign_posts.run_all(part, at=later(30)) for part in parts),
    )

    assert all(outcome is None for outcome in outcomes[1:])
    made = outcomes[0]
    decided = Decision.objects.filter(campaign_decision__isnull=False).count()
    if isinstance(made, campaign_decisions.CountMoved):
        assert (made.expected, decided) == (expected, 0)
    else:
        assert decided == expected
    waiting = Case.objects.filter(state=CaseState.OPEN).count()
    assert waiting == SIZE + JOINING - decided
    assert not Decision.objects.filter(post=left_out).exists()
    assert CampaignMember.objects.filter(campaign=pills).count() == SIZE + JOINING


def test_reversal_restores_all_compensating_each_once(webhook: Platform, moderator: User, lead: User) -> None:
    pills = campaign_posts.opened(webhook, SIZE, at=AT)
    wanted = campaign_posts.spam(SIZE, confirmed_count=SIZE)
    made = campaign_posts.decide(pills, wanted, by=moderator, at=later(60))
    Delivery.objects.update(state=DeliveryState.DELIVERED, attempts=1)

    outcomes = side_by_side(*[lambda: campaign_posts.correct(made, by=lead, at=later(600))] * 4)

    assert sum(isinstance(outcome, CampaignDecision) for outcome in outcomes) == 1, outcomes
    assert sum(isinstance(outcome, reversals.AlreadyReversed) for outcome in outcomes) == 3
    told = Delivery.objects.filter(event="decision.reversed", state=DeliveryState.WAITING)
    assert told.count() == Delivery.objects.filter(event="decision.reversed").count() == SIZE
    assert Reversal.objects.filter(replacement__isnull=False).count() == Reversal.objects.count() == SIZE
    assert Label.objects.filter(retracted_at__isnull=True, is_spam=False).count() == SIZE
    assert not Label.objects.filter(retracted_at__isnull=True, is_spam=True).exists()


def test_two_moderators_at_once_decide_each_post_once(
    webhook: Platform, moderator: User, other_moderator: User
) -> None:
    pills = campaign_posts.opened(webhook, SIZE, at=AT)

    whole = campaign_posts.spam(SIZE, confirmed_count=SIZE)
    fine = replace(whole, verdict=Verdict.NOT_SPAM)
    outcomes = side_by_side(
        lambda: campaign_posts.decide(pills, whole, by=moderator, at=later(60)),
        lambda: campaign_posts.decide(pills, fine, by=other_moderator, at=later(60)),
    )

    assert sum(isinstance(outcome, CampaignDecision) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, campaign_decisions.CountMoved) for outcome in outcomes) == 1
    assert Decision.objects.count() == Label.objects.count() == SIZE
    assert Decision.objects.values("verdict").distinct().count() == 1
