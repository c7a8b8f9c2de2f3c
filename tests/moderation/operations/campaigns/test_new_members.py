"""Posts that join a campaign after it was decided."""

from collections.abc import Sequence
from datetime import datetime

import pytest

from moderation.models import (
    Campaign,
    CampaignDecision,
    CampaignMember,
    Case,
    Decision,
    DeskSettings,
    Label,
    Platform,
    Post,
    ScoringJob,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.campaigns.purity import Purity, purity
from tests.moderation.conftest import judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns import campaign_posts

pytestmark = pytest.mark.usefixtures("fake_scorer")

JUDGED = 25
"""So many single judgements, all agreeing, open the gate of 0.9."""


@pytest.mark.parametrize(
    ("agreeing", "judged", "bound"),
    # Wilson (1927), one-sided 95 %; by hand with z = 1.644854
    [(0, 0, 0.0), (1, 1, 0.2699), (24, 24, 0.8987), (25, 25, 0.9023), (95, 100, 0.9008), (50, 100, 0.4188)],
)
def test_purity_says_how_sure(agreeing: int, judged: int, bound: float) -> None:
    assert Purity(agreeing=agreeing, judged=judged).lower_bound == pytest.approx(bound, abs=1e-4)


@pytest.fixture
def judged(platform: Platform, fake_scorer: FakeScorer, moderator: User) -> Campaign:
    """A campaign of thirty of which 25 were judged alone as spam."""
    pills = campaign_posts.opened(platform, JUDGED + 5, at=AT)
    for case in Case.objects.order_by("id")[:JUDGED]:
        judge(case, moderator, at=later(3))
    return pills


@pytest.fixture
def decided(judged: Campaign, moderator: User) -> CampaignDecision:
    """The same, with the rest decided as spam, together."""
    return campaign_posts.decide(judged, campaign_posts.spam(5), by=moderator, at=later(60))


def join(at: datetime, *, count: int = 1) -> Sequence[Post]:
    posts = campaign_posts.accept(
        Platform.objects.get(), [campaign_posts.incoming(100 + n, at=at) for n in range(count)], at=at
    )
    campaign_posts.run_all(posts, at=at)
    return posts


@pytest.fixture(autouse=True)
def _never_drawn(remembered: DeskSettings) -> None:
    remembered.campaign_check_percent = 0


class TestRulings:
    def test_decides_with_the_campaign_while_it_is_pure(self, decided: CampaignDecision) -> None:
        [post] = join(later(100))

        made = Decision.objects.get(post=post)
        assert (made.verdict, made.source) == (Verdict.SPAM, DecisionSource.AUTOMATIC)
        assert (made.reason, made.campaign_decision) == ("campaign", decided)
        assert not Label.objects.filter(post=post).exists()
        assert not Case.objects.filter(post=post).exists()

    def test_draws_a_share_to_judge_alone(self, decided: CampaignDecision, remembered: DeskSettings) -> None:
        remembered.campaign_check_percent = 50

        posts = join(later(100), count=40)

        cases = Case.objects.filter(post__in=posts)
        assert {case.reason for case in cases} == {CaseReason.CAMPAIGN}
        assert 8 <= len(cases) <= 32
        assert Decision.objects.filter(post__in=posts).count() == 40 - len(cases)

    @pytest.mark.usefixtures("ruling")
    def test_queues_while_too_few_were_judged(self) -> None:
        [post] = join(later(100))

        assert Case.objects.get(post=post).reason == CaseReason.UNCERTAIN

    def test_queues_again_when_samples_show_it_impure(
        self, decided: CampaignDecision, moderator: User, remembered: DeskSettings
    ) -> None:
        remembered.campaign_check_percent = 100
        [sample] = join(later(100))
        case = Case.objects.get(post=sample)
        judge(case, moderator, at=later(111), verdict=Verdict.NOT_SPAM)
        assert purity(decided) == Purity(agreeing=JUDGED, judged=JUDGED + 1)
        remembered.campaign_check_percent = 0

        [post] = join(later(200))

        assert Case.objects.get(post=post, state=CaseState.OPEN).reason == CaseReason.UNCERTAIN

    def test_asks_a_human_where_the_filter_is_sure_of_the_opposite(
        self, decided: CampaignDecision, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.05

        [post] = join(later(100))

        assert Case.objects.get(post=post).reason == CaseReason.CONFLICT

    def test_lets_the_filter_act_where_it_agrees(
        self, decided: CampaignDecision, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.99

        [post] = join(later(100))

        assert Decision.objects.get(post=post).campaign_decision is None

    @pytest.mark.parametrize("verdict", Verdict.values)
    def test_an_unproven_removal_is_decided_with_its_campaign_or_by_a_human(
        self, decided: CampaignDecision, fake_scorer: FakeScorer, verdict: str
    ) -> None:
        CampaignDecision.objects.update(verdict=verdict)
        Decision.objects.update(verdict=verdict)
        Platform.objects.update(removal="proven")
        fake_scorer.default = 0.99

        [post] = join(later(100))

        if verdict == Verdict.SPAM:
            assert Decision.objects.get(post=post).campaign_decision == decided
        else:
            assert Case.objects.get(post=post).reason == CaseReason.CONFLICT

    def test_never_acts_on_a_degraded_score(
        self, decided: CampaignDecision, fake_scorer: FakeScorer, remembered: DeskSettings
    ) -> None:
        remembered.degraded_seconds = 0
        fake_scorer.is_degraded = True

        [post] = join(later(100))

        assert Case.objects.get(post=post).reason == CaseReason.DEGRADED

    def test_waits_until_the_decision_cannot_be_undone(self, decided: CampaignDecision) -> None:
        [post] = join(later(65))

        assert Case.objects.filter(post=post).exists()

    def test_ends_when_the_decision_is_corrected(self, decided: CampaignDecision, moderator: User) -> None:
        [early] = join(later(100))
        campaign_posts.correct(decided, by=moderator, at=later(200))

        [post] = join(later(300))

        assert Case.objects.get(post=post).reason == CaseReason.UNCERTAIN
        assert Decision.objects.filter(post=early).latest("decided_at").verdict == Verdict.NOT_SPAM

    def test_leaves_alone_who_was_left_out(self, decided: CampaignDecision, moderator: User) -> None:
        [post] = join(later(65))
        campaign_posts.leave_out(decided.campaign, post.pk, by=moderator, at=later(70))
        ScoringJob.objects.filter(revision__post=post).update(state="pending", generation=2)

        campaign_posts.run_all([post], at=later(100))

        assert Case.objects.filter(post=post, state=CaseState.OPEN).exists()
        assert CampaignMember.objects.get(post=post).left_out_by == moderator
