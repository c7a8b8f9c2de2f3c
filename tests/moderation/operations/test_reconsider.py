"""Posts like decided ones. Promise: what was allowed before is reconsidered, never against a human's word."""

from datetime import datetime

import pytest

from moderation.models import (
    Campaign,
    CampaignMember,
    Case,
    Decision,
    Delivery,
    Platform,
    Post,
    Reconsideration,
    Score,
    ScoringJob,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.platforms import Reconsidering
from moderation.operations import reconsider
from moderation.operations.campaigns import campaign_reversals
from moderation.operations.cases import reversals
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import decide, leave_out, spam

TEXT = "Cheap pills without prescription, call 1-800-555-0101 now or never"
LIKE = "Cheap pills without prescription, call 1-800-555-0202 now or never"


@pytest.fixture
def allowed(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """Five posts that are alike, of authors of their own, which the filter let pass."""
    fake_scorer.default = 0.05
    rows = [
        post(text=f"{LIKE} {number}", author=IncomingAuthor(external_id=f"author-{number}"))
        for number in range(5)
    ]
    scored(later(1))
    assert set(Decision.objects.values_list("verdict", flat=True)) == {Verdict.NOT_SPAM}
    return rows


@pytest.fixture
def waiting(allowed: list[Post], post: Post_, fake_scorer: FakeScorer) -> Case:
    """One more, of which the models are unsure."""
    fake_scorer.default = 0.5
    row = post(text=TEXT, at=later(10))
    scored(later(11))
    return Case.objects.get(post=row)


def scored(at: datetime) -> None:
    ids = list(ScoringJob.objects.filter(state="pending").values_list("pk", flat=True))
    score.run(revision_ids=ids, at=at)


def reopened() -> set[int]:
    cases = Case.objects.filter(state=CaseState.OPEN, reason=CaseReason.RECONSIDERED)
    return set(cases.values_list("post", flat=True))


class TestSweep:
    def test_puts_what_was_allowed_into_the_queue_after_the_time_for_undoing_to_stay(
        self, allowed: list[Post], waiting: Case, moderator: User, fake_scorer: FakeScorer
    ) -> None:
        judge(waiting, moderator, at=later(20))

        early = reconsider.sweep(at=later(25))
        due = reconsider.sweep(at=later(31))
        again = reconsider.sweep(at=later(32))

        assert (early, due, again) == (0, 5, 0)
        assert reopened() == {row.pk for row in allowed}
        assert Decision.objects.filter(source=DecisionSource.AUTOMATIC).count() == 5
        assert Reconsideration.objects.get().queued == 5

        fake_scorer.default = 0.05
        ScoringJob.objects.update(generation=5, state="pending", attempts=0)
        scored(later(60))
        assert reopened() == {row.pk for row in allowed}

    def test_leaves_all_as_it_is_when_the_decision_says_not_spam_or_is_undone(
        self, waiting: Case, moderator: User
    ) -> None:
        decision = judge(waiting, moderator, at=later(20))
        reversals.undo(decision_id=decision.pk, moderator=moderator, at=later(21))
        case = Case.objects.get(pk=waiting.pk)
        judge(case, moderator, verdict=Verdict.NOT_SPAM, at=later(22))

        assert reconsider.sweep(at=later(99)) == 0
        assert not Case.objects.filter(state=CaseState.OPEN).exists()

    def test_never_touches_what_a_human_decided(
        self, allowed: list[Post], waiting: Case, moderator: User, lead: User
    ) -> None:
        Platform.objects.update(reconsiders=Reconsidering.DECIDE)
        kept = Decision.objects.get(post=allowed[0])
        reversals.correct(decision_id=kept.pk, verdict=Verdict.SPAM, moderator=lead, at=later(12))
        reconsider.sweep(at=later(13))
        standing = Decision.objects.get(post=allowed[0], reversal__isnull=True)
        back = reversals.correct(
            decision_id=standing.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(14)
        )
        judge(waiting, moderator, at=later(20))

        reconsider.sweep(at=later(99))

        assert Decision.objects.get(post=allowed[0], reversal__isnull=True) == back

    @pytest.mark.usefixtures("webhook")
    def test_decides_as_the_others_where_the_platform_says_so_and_tells_it(
        self, allowed: list[Post], waiting: Case, moderator: User, fake_scorer: FakeScorer
    ) -> None:
        Platform.objects.update(reconsiders=Reconsidering.DECIDE)
        judge(waiting, moderator, at=later(20))

        reconsider.sweep(at=later(31))

        row = Reconsideration.objects.get()
        made = Decision.objects.filter(reason="reconsidered")
        assert (row.queued + row.decided, row.decided) == (5, made.count())
        assert row.decided > 0
        assert set(made.values_list("verdict", "source")) == {("spam", "automatic")}
        assert Delivery.objects.filter(decision__in=made, event="decision.created").count() == row.decided

        fake_scorer.default = 0.05
        ScoringJob.objects.update(generation=5, state="pending", attempts=0)
        scored(later(60))
        assert Decision.objects.filter(post__decisions__in=made).count() == 2 * row.decided

    def test_decides_on_no_words_for_a_verdict_on_a_page(self, waiting: Case, moderator: User) -> None:
        """Whoever puts a greeting before a spam page removes nobody who says the same."""
        Platform.objects.update(reconsiders=Reconsidering.DECIDE)
        Score.objects.filter(pk=waiting.score_id).update(sub_models={"content": 0.1, "evidence": 0.99})
        judge(waiting, moderator, at=later(20))

        reconsider.sweep(at=later(31))

        assert not Decision.objects.filter(reason="reconsidered").exists()
        members = CampaignMember.objects.filter(campaign__members__post=waiting.post_id)
        assert reopened() == set(members.values_list("post", flat=True)) - {waiting.post_id}

    def test_leaves_all_where_the_platform_says_so(self, waiting: Case, moderator: User) -> None:
        Platform.objects.update(reconsiders=Reconsidering.NOTHING)
        judge(waiting, moderator, at=later(20))

        assert reconsider.sweep(at=later(99)) == 0

    def test_goes_on_where_it_stopped_within_its_bound(
        self, allowed: list[Post], waiting: Case, moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reconsider, "PIECE", 2)
        monkeypatch.setattr(reconsider, "MOST", 3)
        judge(waiting, moderator, at=later(20))
        row = Reconsideration.objects.get()

        pieces = [reconsider.run_piece(reconsideration_id=row.pk, at=later(31)) for _ in range(4)]

        assert pieces == [2, 1, None, None]
        assert reopened() == {post.pk for post in allowed[2:]}

    def test_stays_on_the_platform_of_a_single_decision(
        self, allowed: list[Post], waiting: Case, moderator: User
    ) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        Post.objects.filter(pk=allowed[0].pk).update(platform=other)
        judge(waiting, moderator, at=later(20))

        reconsider.sweep(at=later(31))

        assert reopened() == {row.pk for row in allowed[1:]}


class TestCampaign:
    def test_reconsiders_members_that_the_filter_allowed(
        self, allowed: list[Post], waiting: Case, moderator: User, lead: User
    ) -> None:
        [home] = Campaign.objects.filter(members__post=waiting.post)
        members = CampaignMember.objects.filter(campaign=home).exclude(post=waiting.post)
        left_out = members.order_by("id")[0]
        leave_out(home, left_out.post_id, by=moderator, at=later(15))
        made = decide(home, spam(1), by=moderator, at=later(20))

        reconsider.sweep(at=later(31))

        assert reopened() == {row.pk for row in allowed} - {left_out.post_id}
        assert Reconsideration.objects.get(campaign_decision=made).queued == 4

    def test_that_is_corrected_in_time_reconsiders_nothing(self, waiting: Case, moderator: User) -> None:
        [home] = Campaign.objects.filter(members__post=waiting.post)
        made = decide(home, spam(1), by=moderator, at=later(20))
        campaign_reversals.undo(campaign_decision_id=made.pk, moderator=moderator, at=later(21))

        assert reconsider.sweep(at=later(99)) == 0
        assert reopened() == set()
