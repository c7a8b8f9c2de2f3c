"""The draw among the review route: what is drawn, what keeps its draw, and what is never drawn."""

from __future__ import annotations

from datetime import datetime

import pytest

from moderation.models import Case, QueueMix, Score, ScoringJob
from moderation.operations.scoring import review_sample, score
from moderation.queries.cases import queue_mix
from tests.moderation.conftest import Case_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later


@pytest.fixture(autouse=True)
def _drawn_from(fresh_mix: None, db: None) -> None:
    QueueMix.objects.create(harm=70, audit=30, changed_at=AT)


def chance(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    monkeypatch.setattr(queue_mix, "chance_of", lambda **_given: value)


def score_again(case: Case, at: datetime) -> Score:
    ScoringJob.objects.filter(revision__post=case.post).update(state="pending", generation=2)
    score.run(revision_ids=[case.score.revision_id], at=at)
    return Score.objects.get(revision__post=case.post, generation=2)


class TestDraw:
    def test_logs_the_chance_of_drawn_and_others(
        self, open_case: Case_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chance(monkeypatch, 0.4)
        cases = [open_case(text=f"Post {number}") for number in range(40)]

        drawn = [case for case in cases if case.score.is_review_sample]
        assert {case.score.review_probability for case in cases} == {0.4}
        assert 6 <= len(drawn) <= 26
        assert {case.pk for case in drawn} == set(
            Case.objects.filter(is_drawn=True).values_list("pk", flat=True)
        )

    def test_makes_none_without_an_audit_share(self, open_case: Case_) -> None:
        QueueMix.objects.all().delete()

        found = open_case().score

        assert (found.review_probability, found.is_review_sample) == (None, False)

    def test_leaves_audit_samples_to_their_chance(self, open_case: Case_, fake_scorer: FakeScorer) -> None:
        fake_scorer.audited = {"audited"}

        case = open_case(text="audited")

        assert (case.score.review_probability, case.is_drawn) == (None, True)

    def test_is_kept_when_scored_again(self, open_case: Case_, monkeypatch: pytest.MonkeyPatch) -> None:
        chance(monkeypatch, 1.0)
        case = open_case()
        chance(monkeypatch, 0.001)

        again = score_again(case, later(60))

        assert (again.review_probability, again.is_review_sample) == (1.0, True)
        assert Case.objects.get(pk=case.pk).is_drawn

    def test_passes_over_what_had_an_automatic_verdict_before(
        self, open_case: Case_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The audit sample stands for it; complaints, not chance, brought it here."""
        case = open_case()
        Score.objects.update(route="allow", audit_probability=0.05, review_probability=None)
        chance(monkeypatch, 1.0)

        again = score_again(case, later(60))

        assert (again.review_probability, again.is_review_sample) == (1.0, False)

    def test_of_a_post_that_waited_before_the_lane_leaves_its_chance_unknown(
        self, open_case: Case_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        case = open_case()
        Score.objects.update(review_probability=None, is_review_sample=False)
        chance(monkeypatch, 1.0)

        assert score_again(case, later(60)).review_probability is None


def test_a_sender_cannot_know_the_number(open_case: Case_, settings: object) -> None:
    case = open_case()
    before = review_sample._number(case.score)

    settings.SECRET_KEY = "another key of the installation, as long as asked of one"  # type: ignore[attr-defined]  # the fixture of pytest-django

    assert review_sample._number(case.score) != before
