"""The filter removes alone where its removals have proven right, and only there."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from moderation import scorer
from moderation.models import (
    AuditEntry,
    Campaign,
    CampaignMember,
    Case,
    Decision,
    Notification,
    Platform,
    Post,
    Score,
    User,
)
from moderation.models.cases import CaseState
from moderation.models.platforms import Removal
from moderation.operations import score_preview
from moderation.operations.cases import claims
from moderation.operations.quality import refresh
from moderation.queries.quality.removal import Trials
from tests.moderation.conftest import Incoming, Post_, judge, scored, with_thresholds
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT

DAY = timedelta(days=1)
UNPROVEN = {"route": "review", "route_reason": "unproven", "is_audit_sample": False}
UNSURE = {"route": "review", "route_reason": "uncertain", "is_audit_sample": False}
DRAWN: dict[str, object] = {"route": "review", "route_reason": "audit", "is_audit_sample": True}
DRAWN |= {"audit_probability": 0.1, "audit_uniform_probability": 0.1}
Judged = Callable[..., None]
Swept = Callable[[float], Platform]


@pytest.fixture
def unproven(platform: Platform) -> Platform:
    Platform.objects.update(removal=Removal.PROVEN)
    platform.refresh_from_db()
    return platform


@pytest.fixture
def sure(fake_scorer: FakeScorer) -> FakeScorer:
    fake_scorer.default = 0.97
    return fake_scorer


@pytest.fixture
def case(unproven: Platform, sure: FakeScorer, post: Post_) -> Case:
    """The case of a post that the filter would remove."""
    [found] = scored([post()], at=AT)
    return with_thresholds(found)


@pytest.fixture
def swept() -> Swept:
    """Estimate the quality so many days later; return the platform."""

    def sweep(days: float) -> Platform:
        refresh.refresh(at=AT + days * DAY)
        return Platform.objects.get()

    return sweep


class TestUnproven:
    def test_sends_removals_to_people(self, case: Case) -> None:
        assert (case.reason, case.score.route, case.score.audit_probability) == ("unproven", "review", 1.0)
        assert not Decision.objects.exists()

    def test_last_in_arrival_order(self, case: Case, sure: FakeScorer, post: Post_, moderator: User) -> None:
        sure.probabilities = {"surer": 0.99, "unsure": 0.21}
        scored([post(text="surer")], at=AT)
        [unsure] = scored([post(text="unsure")], at=AT)

        taken = claims.claim_next(moderator=moderator, at=AT, count=2)

        assert [one.pk for one in taken] == [unsure.pk, case.pk]

    def test_a_person_decides_with_one_key(self, case: Case, moderator: User) -> None:
        judge(case, moderator, at=AT)

        assert Decision.objects.get().verdict == "spam"

    def test_says_so_in_a_preview(self, unproven: Platform, sure: FakeScorer, incoming: Incoming) -> None:
        found = score_preview.run(platform=unproven, post=incoming(), live=scorer.current().live(), at=AT)

        assert (found.score.route, found.score.route_reason) == ("review", "unproven")

    @pytest.mark.parametrize(("removal", "route"), [("always", "remove"), ("never", "review")])
    def test_is_not_asked_where_one_chose(self, case: Case, post: Post_, removal: str, route: str) -> None:
        Platform.objects.update(removal=removal, removal_proven_at=AT)

        scored([chosen := post()], at=AT)

        assert Score.objects.get(revision__post=chosen).route == route


class TestProof:
    def test_lets_the_filter_remove(
        self, case: Case, judged_alike: Judged, swept: Swept, post: Post_
    ) -> None:
        judged_alike(case, probability=0.97, spam=200, fine=0, score=UNPROVEN)
        few = swept(1)
        judged_alike(case, probability=0.97, spam=40, fine=0, score=UNPROVEN)
        enough = swept(2)
        scored([removed := post()], at=AT + 2 * DAY)

        assert not few.is_removing
        assert (enough.removal_proven_at, enough.removal_right) == (AT + 2 * DAY, 240)
        assert (removed.decisions.get().verdict, removed.decisions.get().source) == ("spam", "automatic")
        assert AuditEntry.objects.get(action="platform.removal_proven").details["right"] == 240
        # The filter takes nothing from people that waits for them already.
        assert Case.objects.get(pk=case.pk).state == CaseState.OPEN

    def test_stops_it_when_the_drawn_ones_are_wrong(
        self, case: Case, judged_alike: Judged, swept: Swept, post: Post_
    ) -> None:
        judged_alike(case, probability=0.97, spam=1000, fine=0, score=UNPROVEN)
        swept(1)
        later = {"scored_at": AT + 1.5 * DAY} | DRAWN
        judged_alike(case, probability=0.97, spam=8, fine=4, score=later)

        stopped = swept(2)
        scored([asked := post()], at=AT + 2 * DAY)

        # By all labels it would still be above the promise.
        assert Trials(1008, 4).is_proven
        assert not stopped.is_removing
        assert asked.cases.get().reason == "unproven"
        assert AuditEntry.objects.filter(action="platform.removal_unproven").exists()
        assert not swept(2.1).is_removing

    def test_stops_it_when_the_bound_falls(
        self, case: Case, judged_alike: Judged, swept: Swept, lead: User
    ) -> None:
        judged_alike(case, probability=0.97, spam=240, fine=0, score=UNPROVEN)
        proven = swept(1)
        judged_alike(case, probability=0.97, spam=0, fine=2, score=DRAWN)

        assert (proven.is_removing, swept(2).is_removing, swept(3).is_removing) == (True, False, False)
        assert [(one.kind, one.user) for one in Notification.objects.all()] == [("removal", lead)]

    def test_counts_a_campaign_once(self, case: Case, judged_alike: Judged, swept: Swept) -> None:
        """One message a thousand times says no more of the filter than once."""
        judged_alike(case, probability=0.97, spam=300, fine=0, score=UNPROVEN)
        campaign = Campaign.objects.create(opened_at=AT, latest_at=AT)
        CampaignMember.objects.bulk_create(
            CampaignMember(
                campaign=campaign, post=post, revision=post.revisions.get(), joined_at=AT, likeness=1.0
            )
            for post in Post.objects.exclude(pk=case.post_id)
        )

        found = swept(1)

        assert (found.is_removing, found.removal_right) == (False, 1)

    def test_leaves_out_what_the_filter_would_not_remove(
        self, case: Case, judged_alike: Judged, swept: Swept
    ) -> None:
        judged_alike(case, probability=0.5, spam=300, fine=0, score=UNSURE)
        judged_alike(case, probability=0.05, spam=0, fine=300, score=DRAWN)

        assert swept(1).removal_right + swept(1).removal_wrong == 0
