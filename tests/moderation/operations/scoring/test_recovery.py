"""What was left open is found again without a storm, people are asked late; which posts a task takes."""

import itertools
from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import transaction
from django.db.models import Sum

from moderation import enqueue
from moderation.models import Case, Decision, Revision, Score, ScoringJob, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import Verdict
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.cases import claims
from moderation.operations.infrastructure import sweeps
from moderation.operations.scoring import leases, recovery, score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")


class TestSweep:
    @pytest.fixture(autouse=True)
    def _empty_broker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Other tests enqueue, too, and nobody takes their messages."""
        monkeypatch.setattr(enqueue, "messages", dict)

    def test_finds_what_a_lost_message_and_a_dead_worker_left(self, post: Post_) -> None:
        for text in ("lost", "abandoned", "fresh"):
            post(text=text)
        ScoringJob.objects.filter(revision__text="abandoned").update(
            state=ScoreState.SCORING, lease_until=later(30)
        )
        ScoringJob.objects.filter(revision__text="fresh").update(enqueued_at=later(60))

        assert recovery.sweep(at=later(61)) == 2

    @pytest.mark.parametrize("messages", [0, 1])
    def test_leaves_alone_what_a_message_or_a_batch_at_work_takes_along(
        self, post: Post_, monkeypatch: pytest.MonkeyPatch, messages: int
    ) -> None:
        post()
        monkeypatch.setattr(enqueue, "messages", lambda: {"scoring": messages})
        if not messages:
            post(text="at work")
            ScoringJob.objects.filter(revision__text="at work").update(
                state=ScoreState.SCORING, lease_until=later(sweeps.FORGOTTEN_SECONDS + 2)
            )

        assert recovery.sweep(at=later(sweeps.FORGOTTEN_SECONDS + 1)) == 0
        assert recovery.sweep(at=later(sweeps.FORGOTTEN_BACKLOG_SECONDS + 1)) == 2 - messages

    def test_what_a_killed_worker_held_goes_before_a_backlog_once(self, post: Post_) -> None:
        post(text="left")
        ScoringJob.objects.update(state=ScoreState.SCORING, lease_until=later(60), attempts=1)
        for number in range(enqueue.SCORING_CHUNK + 9):
            post(text=f"newer {number}", at=later(30))
        newest = Revision.objects.order_by("-pk")[0]

        assert recovery.sweep(at=later(61)) >= 1
        score.run(revision_ids=[newest.pk], at=later(62))

        assert Revision.objects.get(text="left").scoring.state == ScoreState.SCORED
        assert ScoringJob.objects.filter(state=ScoreState.PENDING).count() == 10

    def test_gives_up_visibly(self, post: Post_) -> None:
        post()
        ScoringJob.objects.update(attempts=recovery.MAX_ATTEMPTS)

        assert recovery.sweep(at=later(61)) == 0

        assert ScoringJob.objects.get().state == ScoreState.DEAD


def run(at: datetime) -> int:
    waiting = ScoringJob.objects.filter(state=ScoreState.PENDING).order_by("enqueued_at", "pk")
    return score.run(revision_ids=list(waiting.values_list("pk", flat=True)[:64]), at=at)


@pytest.fixture
def away(fake_scorer: FakeScorer) -> FakeScorer:
    fake_scorer.is_degraded, fake_scorer.default = True, 0.05
    return fake_scorer


def back(fake_scorer: FakeScorer) -> None:
    fake_scorer.is_degraded, fake_scorer.is_ready_again = False, True


class TestPeople:
    def test_see_no_case_that_closes_itself_after_a_short_outage(self, post: Post_, away: FakeScorer) -> None:
        post()
        run(later(1))
        recovery.ask_people(at=later(60))
        back(away)
        recovery.rescore_degraded(at=later(61))
        run(later(62))

        assert not Case.objects.exists()
        assert Decision.objects.get().verdict == Verdict.NOT_SPAM
        assert ScoringJob.objects.get().degraded_since is None

    def test_are_asked_when_it_lasts_and_once(self, post: Post_, away: FakeScorer) -> None:
        post()
        run(later(1))

        assert recovery.ask_people(at=later(120)) == 0
        assert recovery.ask_people(at=later(122)) == 1
        assert Case.objects.get().reason == CaseReason.DEGRADED
        assert recovery.ask_people(at=later(123)) == 0

    def test_a_case_that_was_opened_so_is_withdrawn_unless_somebody_holds_it(
        self, post: Post_, away: FakeScorer, moderator: User
    ) -> None:
        post()
        post()
        run(later(1))
        recovery.ask_people(at=later(122))
        claims.claim_next(moderator=moderator, at=later(123))
        back(away)
        recovery.rescore_degraded(at=later(124))
        run(later(125))

        assert sorted(Case.objects.values_list("state", "score__is_degraded")) == [
            (CaseState.OPEN, False),
            (CaseState.WITHDRAWN, True),
        ]


class TestAgain:
    def test_pauses_double_and_differ(self, post: Post_, away: FakeScorer) -> None:
        for _ in range(8):
            post()
        run(later(0))
        away.is_ready_again = True
        tries: dict[int, list[int]] = {pk: [] for pk in Revision.objects.values_list("pk", flat=True)}
        for second in range(5, 900, 5):
            recovery.rescore_degraded(at=later(second))
            waiting = ScoringJob.objects.filter(state=ScoreState.PENDING)
            for pk in waiting.values_list("pk", flat=True):
                tries[pk].append(second)
            run(later(second))

        assert all(5 <= len(each) <= 9 for each in tries.values())
        for each in tries.values():
            pauses = [after - before for before, after in itertools.pairwise(each)]
            assert pauses[-1] > 2 * pauses[0]
        assert len({tuple(each) for each in tries.values()}) > 1

    def test_keeps_one_degraded_score_of_a_text(self, post: Post_, away: FakeScorer) -> None:
        post()
        away.is_ready_again = True
        for second in (0, 30, 90):
            recovery.rescore_degraded(at=later(second))
            run(later(second))

        assert Score.objects.get().generation == 3

    def test_one_batch_goes_first_and_more_as_it_goes_well(self, post: Post_, away: FakeScorer) -> None:
        for _ in range(90):
            post()
        run(later(0))
        run(later(0))
        away.is_ready_again = True

        sizes = [recovery.rescore_degraded(at=later(30))]
        assert recovery.rescore_degraded(at=later(35)) == 0, "while it is under way"
        run(later(36))
        sizes.append(recovery.rescore_degraded(at=later(37)))
        back(away)
        run(later(38))
        sizes.append(recovery.rescore_degraded(at=later(40)))

        assert sizes == [leases.AGAIN_CHUNK, leases.AGAIN_CHUNK, 90 - 2 * leases.AGAIN_CHUNK]

    def test_a_model_that_answers_texts_but_no_batch_is_no_storm(self, post: Post_, away: FakeScorer) -> None:
        """It lasts for five minutes; half a minute after them every post has its score."""
        away.is_ready_again = True
        for second in range(0, 340, 5):
            if second < 300:
                post(at=later(second))
            else:
                back(away)
            recovery.rescore_degraded(at=later(second))
            run(later(second + 1))

        made = ScoringJob.objects.aggregate(Sum("generation"))["generation__sum"]
        assert made <= 6 * 60, "pauses double: five vain tries in five minutes at most"
        assert not ScoringJob.objects.exclude(state=ScoreState.SCORED).exists()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What was enqueued for scoring, message by message."""
    messages: list[list[int]] = []

    def keep(*, revision_ids: Sequence[int]) -> None:
        if revision_ids:
            messages.append(list(revision_ids))

    monkeypatch.setattr(enqueue, "scoring", keep)
    return messages


@pytest.fixture
def again(post: Post_, sent: list[list[int]]) -> list[int]:
    """Revisions that have a score and are to get another one."""
    for _ in range(40):
        post()
    ids = list(Revision.objects.order_by("pk").values_list("pk", flat=True))
    score.run(revision_ids=ids, at=later(1))
    with transaction.atomic():
        rescore.again(ids, at=later(2))
    sent.clear()
    return ids


def claimed(ids: Sequence[int], *, at: datetime) -> list[int]:
    return [row.pk for row in leases.claim(revision_ids=ids, at=at)]


class TestLeases:
    def test_posts_without_score_go_first(self, again: list[int], post: Post_, sent: list[list[int]]) -> None:
        new = post().revisions.get().pk

        assert claimed(again[:2], at=later(3)) == [new]
        assert sent[-1] == again[:2]  # put off, not forgotten
        assert claimed(again[:2], at=later(4))[:2] == again[:2]

    def test_one_that_may_kill_workers_goes_alone(self, post: Post_, sent: list[list[int]]) -> None:
        first, second, third = sorted(post().revisions.get().pk for _ in range(3))
        ScoringJob.objects.filter(pk__in=[first, second]).update(attempts=2)

        assert claimed([first, second], at=later(1)) == [third]
        assert sent == [[first], [second]]
        assert claimed([first], at=later(1)) == [first]

    def test_few_that_may_kill_workers_are_named_at_once_and_once(
        self, again: list[int], sent: list[list[int]]
    ) -> None:
        ScoringJob.objects.filter(pk__in=again[:20]).update(
            state=ScoreState.SCORING, attempts=2, lease_until=later(20)
        )

        assert [recovery.sweep(at=later(seconds)) for seconds in (19, 21, 22, 23)] == [0, 16, 4, 0]

    def test_a_message_without_its_post_still_serves_those_gathered_with_it(
        self, again: list[int], post: Post_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        new, sent = post().revisions.get().pk, []
        monkeypatch.setattr(enqueue, "scoring_again", lambda *, revision_ids: sent.append(revision_ids))

        assert claimed([], at=later(3)) == [new]
        assert sent == [again[:1]]

    def test_a_new_post_takes_no_old_ones_along(self, again: list[int], post: Post_) -> None:
        new = post().revisions.get().pk

        assert claimed([new], at=later(3)) == [new]
        assert ScoringJob.objects.filter(pk__in=again, state=ScoreState.PENDING).count() == len(again)

    def test_few_are_scored_again_at_once_so_that_a_new_post_waits_little(
        self, again: list[int], sent: list[list[int]]
    ) -> None:
        assert claimed(again[:1], at=later(3)) == again[: leases.AGAIN_CHUNK]
        assert sent == [again[leases.AGAIN_CHUNK :][:1]]

    def test_as_many_as_a_message_names(self, again: list[int]) -> None:
        assert claimed(again, at=later(3)) == again

    @pytest.mark.whole
    def test_all_get_their_score_whatever_comes_between(
        self, again: list[int], post: Post_, sent: list[list[int]], fake_scorer: FakeScorer
    ) -> None:
        messages = [again[:1]] * 2
        seconds = 3
        while messages:
            if seconds < 40:
                messages.append([post().revisions.get().pk])
            sent.clear()
            score.run(revision_ids=messages.pop(0), at=later(seconds))
            messages += sent
            seconds += 1

        assert set(ScoringJob.objects.values_list("state", flat=True)) == {ScoreState.SCORED}
