"""Scoring: each revision once, none forgotten, what it leads to; smaller batches on a busy machine."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from unittest import mock

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction

from moderation import enqueue
from moderation.models import Case, Decision, Label, Release, Revision, Score, ScoringJob, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.scoring import leases, score
from scoring.content import ContentScore
from scoring.explain import Contribution
from scoring.pipeline import ScoreResult
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

    @pytest.mark.parametrize(("probability", "stored"), [(0.1, 1), (0.5, 2)])
    def test_stores_what_moved_nothing_only_of_what_people_will_see(
        self, post: Post_, fake_scorer: FakeScorer, probability: float, stored: int
    ) -> None:
        post()
        fake_scorer.default = probability
        score_one = fake_scorer.score_many
        nothing = Contribution(feature="social.posts", value=3.0, contribution=0.0)

        def score_many(*records: Any, **given: Any) -> list[ScoreResult]:
            results = score_one(*records, **given)
            return [replace(one, contributions=(*one.contributions, nothing)) for one in results]

        with mock.patch.object(fake_scorer, "score_many", score_many):
            run(later(1))

        assert len(Score.objects.get().contributions) == stored

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

    @pytest.mark.parametrize("ahead_seconds", [0, 9])
    def test_names_the_posts_that_wait_beyond_a_batch(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch, ahead_seconds: int
    ) -> None:
        """Also those that a machine took in whose clock is ahead."""
        monkeypatch.setattr(enqueue, "SCORING_CHUNK", 2)
        for _ in range(3):
            post()
        ScoringJob.objects.update(enqueued_at=later(1 + ahead_seconds))
        first, second, third = Revision.objects.order_by("pk").values_list("pk", flat=True)

        with mock.patch.object(enqueue, "scoring_of_rest") as named:
            assert score.run(revision_ids=[first], at=later(1)) == 2

        assert Score.objects.order_by("revision").values_list("revision", flat=True)[1] == second
        named.assert_called_once_with(revision_id=third)

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

        assert Revision.objects.get(text="poison").scoring.state == ScoreState.SCORING

    def test_skips_the_score_of_an_outdated_text(self, post: Post_) -> None:
        row = post(external_id="edited")
        old = Revision.objects.get()
        post(external_id="edited", text="new text", revision=2)
        ScoringJob.objects.filter(pk=old.pk).update(state=ScoreState.PENDING)
        ScoringJob.objects.exclude(pk=old.pk).update(state=ScoreState.SCORING, lease_until=later(60))

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
        ScoringJob.objects.update(state=ScoreState.PENDING, generation=2)

        run(later(4))

        assert Decision.objects.get().verdict == Verdict.NOT_SPAM


SOFT_LIMIT_SECONDS = 45.0


class Machine:
    """A machine on which each post takes so many seconds; a task that runs into its limit is ended."""

    def __init__(self, post_seconds: float) -> None:
        self.post_seconds = post_seconds
        self.now = 0.0
        self.task_began_at = 0.0
        self.sizes: list[int] = []

    def batch(self, *, revisions: Sequence[Revision], **_: Any) -> int:
        self.sizes.append(len(revisions))
        self.now += self.post_seconds * len(revisions)
        if self.now - self.task_began_at > SOFT_LIMIT_SECONDS:
            self.now = self.task_began_at + SOFT_LIMIT_SECONDS
            raise SoftTimeLimitExceeded
        ScoringJob.objects.filter(pk__in=[row.pk for row in revisions]).update(state=ScoreState.SCORED)
        return len(revisions)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Machine]:
    def run_on(post_seconds: float) -> Machine:
        made = Machine(post_seconds)
        monkeypatch.setattr(score, "batch", made.batch)
        monkeypatch.setattr(score, "monotonic", lambda: made.now)
        monkeypatch.setattr(score, "pace", score.new_pace())
        return made

    return run_on


class TestInParts:
    def test_loses_a_fifth_at_most_where_sixty_four_posts_take_a_minute(
        self, machine: Callable[[float], Machine], post: Post_
    ) -> None:
        slow = machine(60 / 64)
        for _ in range(200):
            post()
        scored, killed = 0, 0
        while slow.now < 150:
            slow.task_began_at = slow.now
            waiting = list(ScoringJob.objects.filter(state=ScoreState.PENDING).values_list("pk", flat=True))
            try:
                scored += score.run(revision_ids=waiting[:64], at=later(slow.now))
            except SoftTimeLimitExceeded:
                killed += 1

        assert killed == 0
        assert scored >= 0.8 * slow.now / slow.post_seconds
        assert not ScoringJob.objects.filter(state=ScoreState.SCORING).exists()
        assert set(
            ScoringJob.objects.filter(state=ScoreState.PENDING).values_list("attempts", flat=True)
        ) == {0}

    def test_a_free_machine_scores_whole_batches_after_the_first(
        self, machine: Callable[[float], Machine], post: Post_
    ) -> None:
        quick = machine(0.01)
        for _ in range(3):
            for _ in range(64):
                post()
            score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True))[-64:], at=later(1))

        assert quick.sizes[-1] == 64

    def test_a_machine_that_is_slower_than_any_limit_scores_one_at_a_time(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = score.new_pace()
        for _ in range(16):
            made.took(1, seconds=400.0)
        monkeypatch.setattr(score, "pace", made)
        for _ in range(2):
            post()

        assert score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1)) >= 1

    def test_what_was_not_begun_is_given_back_when_a_batch_fails(
        self, machine: Callable[[float], Machine], post: Post_
    ) -> None:
        machine(10.0)  # the first sixteen take longer than a task may
        for _ in range(40):
            post()

        with pytest.raises(SoftTimeLimitExceeded):
            score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        states = Counter(ScoringJob.objects.values_list("state", "attempts"))
        assert states == {(ScoreState.SCORING, 1): 16, (ScoreState.PENDING, 0): 24}

    @pytest.mark.parametrize("failure", [SoftTimeLimitExceeded, OperationalError])
    def test_what_is_no_posts_fault_is_not_tried_one_by_one(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
    ) -> None:
        asked = []

        def fail(*, revisions: Sequence[Revision], **_: Any) -> int:
            asked.append(len(revisions))
            raise failure

        monkeypatch.setattr(score, "batch", fail)
        monkeypatch.setattr(score, "pace", score.new_pace())
        for _ in range(3):
            post()

        with pytest.raises(failure):
            score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        assert asked == [3]
