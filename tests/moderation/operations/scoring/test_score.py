"""Scoring: each revision once, none forgotten, and what a score leads to."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import transaction

from moderation.models import Case, Decision, Label, Release, Revision, Score, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.posts import complaints
from moderation.operations.scoring import leases, score
from scoring.content import ContentScore
from tests.moderation.conftest import Post_, judge
from tests.moderation.fakes import SCORE, FakeScorer
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")


def run(at: datetime) -> int:
    return score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)


class TestRun:
    @pytest.mark.parametrize(
        ("probability", "verdict"), [(0.1, Verdict.NOT_SPAM), (0.95, Verdict.SPAM), (0.5, None)]
    )
    def test_acts_or_asks_a_human(
        self, post: Post_, fake_scorer: FakeScorer, probability: float, verdict: Verdict | None
    ) -> None:
        post()
        fake_scorer.default = probability

        run(later(1))

        decided = list(Decision.objects.values_list("verdict", "source"))
        assert decided == ([(verdict, DecisionSource.AUTOMATIC)] if verdict else [])
        assert Case.objects.count() == (0 if verdict else 1)
        assert not Label.objects.exists()

    def test_takes_along_what_else_waits(self, post: Post_) -> None:
        for _ in range(3):
            post()
        first = Revision.objects.order_by("pk").values_list("pk", flat=True)[0]

        assert score.run(revision_ids=[first], at=later(1)) == 3
        assert score.run(revision_ids=[first], at=later(2)) == 0

    @pytest.mark.parametrize(("model", "known"), [("fake/1", SCORE), ("other/1", None)])
    def test_a_second_score_knows_what_the_content_model_said_of_the_text(
        self, post: Post_, fake_scorer: FakeScorer, model: str, known: ContentScore | None
    ) -> None:
        fake_scorer.default = 0.3
        first = post()
        run(later(1))
        assert list(fake_scorer.known) == [None]
        Release.objects.get_or_create(pk="a" * 64, defaults={"manifest": {}, "first_used_at": later(1)})
        Score.objects.update(release="a" * 64, content_model=model)  # another release, as after new heads
        with transaction.atomic():
            rescore.again(first.revisions.values_list("pk", flat=True), at=later(2))
        post()

        run(later(3))

        assert list(fake_scorer.known) == [known, None]

    def test_scores_once_when_the_message_comes_three_times(self, post: Post_) -> None:
        post()

        done = [run(later(second)) for second in (1, 2, 3)]

        assert done == [1, 0, 0]
        assert Score.objects.count() == 1

    def test_leaves_a_revision_to_the_worker_that_took_it_over(self, post: Post_) -> None:
        post()
        first_worker = leases.claim(
            revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1)
        )

        assert run(later(1 + leases.LEASE_SECONDS + 1)) == 1
        assert score.batch(revisions=first_worker, at=later(1)) == 0

        assert Score.objects.count() == 1

    def test_keeps_one_poisonous_post_from_holding_up_its_batch(
        self, post: Post_, fake_scorer: FakeScorer
    ) -> None:
        for text in ("good", "poison", "fine"):
            post(text=text)
        fake_scorer.poisonous = "poison"

        assert run(later(1)) == 2

        assert Revision.objects.get(text="poison").score_state == ScoreState.SCORING

    def test_skips_the_score_of_an_outdated_text(self, post: Post_) -> None:
        row = post(external_id="edited")
        old = Revision.objects.get()
        post(external_id="edited", text="new text", revision=2)
        Revision.objects.filter(pk=old.pk).update(score_state=ScoreState.PENDING)
        Revision.objects.exclude(pk=old.pk).update(score_state=ScoreState.SCORING, lease_until=later(60))

        score.run(revision_ids=[old.pk], at=later(1))

        assert not Case.objects.filter(post=row).exists()

    def test_opens_a_case_again_for_a_new_text(self, post: Post_, moderator: User) -> None:
        post(external_id="edited")
        run(later(1))
        judge(Case.objects.get(), moderator, at=later(3), verdict=Verdict.NOT_SPAM)

        post(external_id="edited", text="now with an advertisement", revision=2, at=later(4))
        run(later(5))

        assert Case.objects.get(state=CaseState.OPEN).reason == CaseReason.REVISED

    def test_respects_a_human_decision_on_the_same_text(
        self, post: Post_, fake_scorer: FakeScorer, moderator: User
    ) -> None:
        post()
        run(later(1))
        judge(Case.objects.get(), moderator, at=later(3), verdict=Verdict.NOT_SPAM)
        fake_scorer.default = 0.99
        Revision.objects.update(score_state=ScoreState.PENDING, generation=2)

        run(later(4))

        assert Decision.objects.get().verdict == Verdict.NOT_SPAM

    def test_asks_a_human_when_complaints_doubt_an_automatic_verdict(
        self, post: Post_, fake_scorer: FakeScorer
    ) -> None:
        row = post()
        fake_scorer.default = 0.1
        run(later(1))

        complaint = complaints.IncomingComplaint(
            post=row.external_id, reporter="reporter", reason="scam", reported_at=later(2)
        )
        complaints.record(platform=row.platform, complaint=complaint, at=later(2))
        fake_scorer.default = 0.5
        run(later(3))

        assert Case.objects.get().reason == CaseReason.COMPLAINTS
