"""Disagreements drawn for people: blind, with the chance logged, so that their labels count rightly."""

from __future__ import annotations

from datetime import datetime

import pytest

from moderation import enqueue
from moderation.models import AuditEntry, Case, Label, Score, ShadowRun, ShadowScore, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.labels import draws
from moderation.operations.learning import shadow, shadow_scoring
from moderation.operations.refusals import NotAllowed
from moderation.queries.labels import labels
from moderation.queries.learning import shadow_labels
from tests.moderation.conftest import judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.learning.conftest import Scored

pytestmark = pytest.mark.django_db


@pytest.fixture
def disagreements(
    shadow_run: ShadowRun,
    fake_scorer: FakeScorer,
    candidate_scorer: FakeScorer,
    scored: Scored,
    monkeypatch: pytest.MonkeyPatch,
) -> ShadowRun:
    """Four posts that only the candidate would remove, and one that both allow."""
    monkeypatch.setattr(enqueue, "scoring_backlog", lambda: 0)
    fake_scorer.default = candidate_scorer.default = 0.1
    for number in range(4):
        candidate_scorer.probabilities[f"Post number {number}"] = 0.95
        scored(text=f"Post number {number}")
    scored(text="a quiet post")
    shadow_scoring.sweep(at=later(120))
    return shadow_run


class TestDraw:
    def test_opens_blind_cases_of_disagreements_alone(self, disagreements: ShadowRun, lead: User) -> None:
        assert shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200)) == 2

        cases = list(Case.objects.all())
        assert {case.reason for case in cases} == {CaseReason.RANDOM.value}
        assert {case.audit_probability for case in cases} == {0.5}
        assert len({case.priority for case in cases}) == 1
        disagreements.refresh_from_db()
        assert [(draw["drawn"], draw["population"]) for draw in disagreements.draws] == [(2, 4)]
        assert AuditEntry.objects.filter(action="shadow.drawn").exists()

    def test_draws_nobody_twice(self, disagreements: ShadowRun, lead: User) -> None:
        shadow.draw(run_id=disagreements.pk, posts=4, actor=lead, at=later(200))

        with pytest.raises(draws.NothingToDraw):
            shadow.draw(run_id=disagreements.pk, posts=1, actor=lead, at=later(201))

    def test_refuses_a_moderator(self, disagreements: ShadowRun, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            shadow.draw(run_id=disagreements.pk, posts=1, actor=moderator, at=later(200))


class TestLabels:
    def decide_all(self, moderator: User, *, at: datetime) -> None:
        for case in Case.objects.order_by("pk"):
            judge(case, moderator, at=at, verdict=Verdict.NOT_SPAM)

    def test_count_with_the_chance_of_their_draw(
        self, disagreements: ShadowRun, lead: User, moderator: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        self.decide_all(moderator, at=later(300))
        disagreements.refresh_from_db()

        found = shadow_labels.labels(disagreements)

        assert found.is_spam.tolist() == [False, False]
        assert found.chance.tolist() == pytest.approx([0.5, 0.5])
        assert set(zip(found.live, found.candidate, strict=True)) == {("allow", "remove")}

    def test_leave_out_posts_that_came_after_the_draw(
        self, disagreements: ShadowRun, scored: Scored, lead: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        scored(text="another quiet post")
        shadow_scoring.sweep(at=later(400))
        disagreements.refresh_from_db()

        assert ShadowScore.objects.count() == 6
        assert shadow_labels.counted(disagreements)["all", ""].total() == 5

    def test_are_no_random_labels_in_exports_but_stand_for_themselves(
        self, disagreements: ShadowRun, lead: User, moderator: User
    ) -> None:
        shadow.draw(run_id=disagreements.pk, posts=2, actor=lead, at=later(200))
        self.decide_all(moderator, at=later(300))

        found = labels.live(decision_ids=list(Label.objects.values_list("decision", flat=True)))

        assert {row["weight"] for row in found.values()} == {1.0}
        said = {(row["provenance"]["sample"], row["provenance"]["is_audit_sample"]) for row in found.values()}
        assert said == {("disagreement", False)}

    def test_on_the_route_review_count_with_the_chance_of_the_audit_lane(
        self, disagreements: ShadowRun, fake_scorer: FakeScorer, scored: Scored, moderator: User
    ) -> None:
        fake_scorer.default = 0.5
        for number in range(2):
            scored(text=f"a doubtful post {number}")
        shadow_scoring.sweep(at=later(200))
        self.decide_all(moderator, at=later(300))
        drawn, other = Score.objects.filter(route="review").order_by("pk")
        Score.objects.filter(pk=other.pk).update(review_probability=0.25)
        Score.objects.filter(pk=drawn.pk).update(review_probability=0.25, is_review_sample=True)

        assert shadow_labels.labels(disagreements).chance.tolist() == [0.25]
