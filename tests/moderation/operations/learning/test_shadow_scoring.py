"""A candidate in shadow: what it scores, that nothing follows from it, and what stops it."""

from datetime import timedelta

import pytest

from moderation import enqueue, scorer
from moderation.models import Case, Decision, Delivery, Promotion, Release, Score, ShadowRun, ShadowScore
from moderation.models.releases import PromotionKind
from moderation.operations.erasure import erase
from moderation.operations.learning import shadow_scoring
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.learning.conftest import Scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shadow_run")]

SETTLED = 120


@pytest.fixture(autouse=True)
def _no_backlog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enqueue, "messages", dict)


class TestSweep:
    def test_scores_what_the_live_release_scored_without_effect(
        self, candidate_scorer: FakeScorer, scored: Scored
    ) -> None:
        candidate_scorer.default = 0.95
        scored(language="de-AT")
        before = (Case.objects.count(), Decision.objects.count(), Delivery.objects.count())

        assert shadow_scoring.sweep(at=later(SETTLED)) == 1

        [row] = ShadowScore.objects.all()
        assert (row.live_route, row.route, row.distance) == ("review", "remove", 1)
        assert (row.language, row.links) == ("de", "none")
        assert row.gap == pytest.approx(0.45)
        assert (Case.objects.count(), Decision.objects.count(), Delivery.objects.count()) == before

    def test_scores_each_post_once(self, scored: Scored) -> None:
        scored()

        shadow_scoring.sweep(at=later(SETTLED))
        ShadowRun.objects.update(reached=0)

        shadow_scoring.sweep(at=later(SETTLED + 60))
        assert ShadowScore.objects.count() == 1

    def test_waits_until_scores_have_settled(self, scored: Scored) -> None:
        scored()

        assert shadow_scoring.sweep(at=later(10)) == 0
        assert shadow_scoring.sweep(at=later(SETTLED)) == 1

    def test_waits_while_posts_await_scores(self, scored: Scored, monkeypatch: pytest.MonkeyPatch) -> None:
        scored()
        monkeypatch.setattr(enqueue, "messages", lambda: {"scoring": 1})

        assert shadow_scoring.sweep(at=later(SETTLED)) == 0

    def test_counts_an_audit_sample_as_the_verdict_that_it_checks(
        self, fake_scorer: FakeScorer, scored: Scored
    ) -> None:
        fake_scorer.audited = {"let me pass"}
        fake_scorer.probabilities = {"let me pass": 0.1}
        scored(text="let me pass")

        shadow_scoring.sweep(at=later(SETTLED))

        assert ShadowScore.objects.get().live_route == "allow"

    def test_leaves_out_what_is_erased(self, scored: Scored) -> None:
        row = scored()
        erase.post(post_id=row.pk, at=later(5))

        assert shadow_scoring.sweep(at=later(SETTLED)) == 0

    def test_keeps_going_over_a_post_that_the_candidate_cannot_score(
        self, shadow_run: ShadowRun, candidate_scorer: FakeScorer, scored: Scored
    ) -> None:
        candidate_scorer.poisonous = "poison"
        scored(text="poison")
        scored(text="fine")

        assert shadow_scoring.sweep(at=later(SETTLED)) == 1

        shadow_run.refresh_from_db()
        assert shadow_run.failed == 1
        assert "1 of 2 posts failed" in shadow_run.trouble

    def test_says_that_the_content_model_is_away_and_goes_on_later(
        self, shadow_run: ShadowRun, candidate_scorer: FakeScorer, scored: Scored
    ) -> None:
        scored()
        candidate_scorer.is_degraded = True
        shadow_scoring.sweep(at=later(SETTLED))

        shadow_run.refresh_from_db()
        assert "content model does not answer" in shadow_run.trouble

        candidate_scorer.is_degraded = False
        assert shadow_scoring.sweep(at=later(SETTLED + 15)) == 1
        shadow_run.refresh_from_db()
        assert not shadow_run.trouble

    def test_names_a_candidate_that_cannot_be_loaded_and_stops_nothing(
        self, shadow_run: ShadowRun, scored: Scored, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(_: str) -> None:
            raise scorer.NotKept("its folder is gone")

        monkeypatch.setattr(scorer.current(), "shadow_of", refuse)
        scored()

        assert shadow_scoring.sweep(at=later(SETTLED)) == 0

        shadow_run.refresh_from_db()
        assert shadow_run.trouble == "NotKept: its folder is gone"
        assert shadow_run.is_open

    def test_ends_when_another_release_goes_live(self, shadow_run: ShadowRun, scored: Scored) -> None:
        other = Release.objects.create(pk="1" * 64, manifest={}, first_used_at=later(1))
        live = Release.objects.get(pk=RELEASE_ID)
        Promotion.objects.create(release=other, replaced=live, kind=PromotionKind.PROMOTE, at=later(1))

        shadow_scoring.sweep(at=later(SETTLED))

        shadow_run.refresh_from_db()
        assert not shadow_run.is_open
        assert shadow_run.stopped_by is None

    def test_leaves_the_oldest_out_when_too_many_wait(
        self, shadow_run: ShadowRun, scored: Scored, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shadow_scoring, "MOST_BEHIND", 1)
        scored()
        scored()

        assert shadow_scoring.sweep(at=later(SETTLED)) == 1

        shadow_run.refresh_from_db()
        assert shadow_run.skipped == 1

    def test_forgets_single_scores_long_after_the_end(self, scored: Scored) -> None:
        scored()
        shadow_scoring.sweep(at=later(SETTLED))
        ShadowRun.objects.update(stopped_at=later(SETTLED))

        shadow_scoring.sweep(at=AT + timedelta(days=91))

        assert not ShadowScore.objects.exists()
        assert ShadowRun.objects.get().figures["routes"] == [["review", "review", 1]]


class TestIsDrawn:
    def test_draws_the_share_by_a_key_of_its_own_for_each_run(self) -> None:
        first, second = ShadowRun(pk=1, share=0.3), ShadowRun(pk=2, share=0.3)

        drawn = [
            {post for post in range(2_000) if shadow_scoring.is_drawn(run, post)} for run in (first, second)
        ]

        assert all(500 < len(one) < 700 for one in drawn)
        assert drawn[0] != drawn[1]

    def test_draws_all_posts_where_the_share_is_one(self) -> None:
        run = ShadowRun(pk=1, share=1.0)

        assert all(shadow_scoring.is_drawn(run, post) for post in range(500))


def test_erasing_a_post_takes_its_rows_away(scored: Scored) -> None:
    row = scored()
    shadow_scoring.sweep(at=later(SETTLED))

    erase.post(post_id=row.pk, at=later(300))

    assert Score.objects.exists()
    assert not ShadowScore.objects.exists()
