"""Scoring again. Promise: each post that is asked for gets one new score, also beside workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

import pytest
from django.db import transaction

from moderation.models import Decision, Label, Platform, Post, Release, Revision, Score, ScoringJob
from moderation.models.decisions import Verdict
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.rescore import Progress, Wanted
from moderation.operations.scoring import leases, score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.instants import AT, later

Beside = Callable[[Callable[[Sequence[int]], list[int]]], list[list[int]]]


@pytest.fixture
def posts(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """Seven posts that the filter let pass."""
    fake_scorer.default = 0.05
    rows = [post(text=f"post {number}") for number in range(7)]
    work(later(1))
    return rows


@pytest.fixture
def wanted() -> Wanted:
    return Wanted(until=later(60))


@pytest.fixture
def beside(fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Do something while a worker that has claimed its posts asks the models; the first time only."""
    scored = fake_scorer.score_many
    results: list[list[int]] = []

    def put(act: Callable[[Sequence[int]], list[int]]) -> list[list[int]]:
        def score_many(*args: object, **kwargs: object) -> object:
            monkeypatch.setattr(fake_scorer, "score_many", scored)
            results.append(act(list(Revision.objects.values_list("pk", flat=True))))
            return scored(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(fake_scorer, "score_many", score_many)
        return results

    return put


@dataclass
class Worker:
    """Scores what waits whenever the run pauses, and counts how much did."""

    most_waiting: int = 0
    pauses: int = 0

    def __call__(self, _seconds: float) -> None:
        self.pauses += 1
        self.most_waiting = max(self.most_waiting, unscored())
        work(later(100 + self.pauses))


def work(at: datetime) -> int:
    return score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)


def again(ids: Sequence[int], *, at: datetime) -> list[int]:
    with transaction.atomic():
        return rescore.again(ids, at=at)


def unscored() -> int:
    return ScoringJob.objects.filter(state=ScoreState.PENDING).count()


def generations() -> list[int]:
    return list(ScoringJob.objects.order_by("pk").values_list("generation", flat=True))


def run(wanted: Wanted, *, after_id: int = 0, worker: Worker | None = None) -> list[Progress]:
    made: list[Progress] = []
    rescore.run(
        wanted, after_id=after_id, now=lambda: later(90), pause=worker or Worker(), progress=made.append
    )
    return made


class TestRun:
    @pytest.mark.usefixtures("posts")
    def test_scores_each_once_more(self, wanted: Wanted, fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.95

        run(wanted)
        work(later(200))

        assert generations() == [2] * 7
        assert Score.objects.count() == 14
        assert Decision.objects.filter(verdict=Verdict.SPAM).count() == 7

    @pytest.mark.usefixtures("posts")
    def test_puts_no_more_before_the_workers_than_they_get_through(
        self, wanted: Wanted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rescore, "PIECE", 2)
        worker = Worker()

        run(wanted, worker=worker)

        assert worker.most_waiting == 2
        assert worker.pauses == 3

    @pytest.mark.usefixtures("posts")
    def test_goes_on_where_it_was_stopped(self, wanted: Wanted, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rescore, "PIECE", 2)
        seen: list[Progress] = []

        class Stopped(Exception):
            pass

        def stop(made: Progress) -> None:
            seen.append(made)
            if made.rescored == 4:
                raise Stopped

        with pytest.raises(Stopped):
            rescore.run(wanted, after_id=0, now=lambda: later(90), pause=Worker(), progress=stop)
        work(later(150))
        run(wanted, after_id=seen[-1].reached_id)

        assert generations() == [2] * 7

    def test_leaves_what_came_after_it_began(self, posts: list[Post], wanted: Wanted, post: Post_) -> None:
        late = post(at=later(61))
        work(later(62))

        run(wanted)

        assert Revision.objects.get(post=late).scoring.generation == 1
        assert generations().count(2) == len(posts)


class TestWanted:
    @pytest.mark.parametrize("name", ["platform", "release", "since", "degraded", "dead"])
    def test_takes_only_what_it_names(self, posts: list[Post], wanted: Wanted, name: str) -> None:
        chosen = Revision.objects.filter(post=posts[3])
        elsewhere = Platform.objects.create(slug="elsewhere", name="Elsewhere", created_at=AT)
        release = Release.objects.create(pk="e" * 64, first_used_at=AT, manifest={})
        match name:
            case "platform":
                Post.objects.filter(pk=posts[3].pk).update(platform=elsewhere)
                wanted = replace(wanted, platform_id=elsewhere.pk)
            case "release":
                Score.objects.filter(revision__in=chosen).update(release=release)
                wanted = replace(wanted, release_id=release.pk)
            case "since":
                chosen.update(received_at=later(30))
                wanted = replace(wanted, since=later(30))
            case state:
                ScoringJob.objects.filter(revision__in=chosen).update(state=state)
                wanted = replace(wanted, states=frozenset({ScoreState(state)}))

        run(wanted)

        assert ScoringJob.objects.get(generation=2).revision.post == posts[3]

    @pytest.mark.usefixtures("posts")
    def test_goes_by_the_release_of_the_latest_score(self, wanted: Wanted) -> None:
        released = replace(wanted, release_id=RELEASE_ID)
        other = Release.objects.create(pk="e" * 64, first_used_at=later(70), manifest={})
        run(released)
        work(later(200))
        Score.objects.filter(generation=2).update(release=other)

        assert rescore.count(released) == 0

    def test_leaves_what_a_human_judged_or_erased_and_older_texts(
        self, posts: list[Post], post: Post_, wanted: Wanted
    ) -> None:
        decision = Decision.objects.get(post=posts[0])
        Label.objects.create(
            decision=decision, post=posts[0], is_spam=False, similarity_group=uuid4(), labelled_at=later(5)
        )
        Post.objects.filter(pk=posts[1].pk).update(erased_at=later(5))
        post(external_id=posts[2].external_id, text="another text", revision=2, at=later(70))

        assert rescore.count(wanted) == 7 - 3


class TestAgain:
    @pytest.mark.usefixtures("posts")
    def test_of_two_at_once_one_has_it(self) -> None:
        ids = list(Revision.objects.values_list("pk", flat=True))

        first, second = (again(ids, at=later(2)) for _ in range(2))

        assert (first, second) == (ids, [])
        assert generations() == [2] * 7

    def test_leaves_to_a_worker_what_it_scores(self, post: Post_, beside: Beside) -> None:
        post()
        taken = beside(lambda ids: again(ids, at=later(2)))

        work(later(1))

        assert taken == [[]]
        assert Score.objects.get().generation == 1
        assert ScoringJob.objects.get().state == ScoreState.SCORED

    def test_makes_a_late_worker_lose_its_score(self, post: Post_, beside: Beside) -> None:
        """A worker stalls past its lease; another scores the post, which is then to be scored again."""
        post()

        def overtake(ids: Sequence[int]) -> list[int]:
            assert score.run(revision_ids=ids, at=later(leases.LEASE_SECONDS + 2)) == 1
            return again(ids, at=later(leases.LEASE_SECONDS + 3))

        taken = beside(overtake)

        assert work(later(1)) == 0

        assert len(taken[0]) == 1
        assert Score.objects.get().generation == 1
        assert work(later(200)) == 1
        assert list(Score.objects.order_by("generation").values_list("generation", flat=True)) == [1, 2]
