"""Scoring during a canary: whose posts the candidate decides, and what happens when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace

import pytest

from moderation import scorer
from moderation.models import CanaryRun, Post, Score, ShadowRun, User
from moderation.models.users import Role
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.scoring import canary_arm, score
from scoring.pipeline import Scorer
from tests.moderation.fakes import RELEASE_ID, FakeScorer, FakeScorers
from tests.moderation.operations.learning.conftest import candidate_scorer, shadow_run

__all__ = ["candidate_scorer", "shadow_run"]

pytestmark = pytest.mark.django_db
CANDIDATE = "c" * 64


@pytest.fixture
def canary(shadow_run: ShadowRun, candidate_scorer: FakeScorer, lead: User, at: datetime) -> CanaryRun:
    candidate_scorer.release = SimpleNamespace(**(vars(candidate_scorer.release) | {"id": CANDIDATE}))
    second = User.objects.create_user("second_lead", role=Role.LEAD)
    return CanaryRun.objects.create(
        shadow=shadow_run,
        candidate=CANDIDATE,
        live=RELEASE_ID,
        share=0.5,
        proposed_by=lead,
        proposed_at=at,
        confirmed_by=second,
        started_at=at,
    )


@pytest.fixture
def scored(post: Callable[..., Post], at: datetime) -> Callable[[], list[Score]]:
    """Store two posts of each of 12 authors, score them together and return the scores."""

    def run() -> list[Score]:
        posts = [
            post(text=f"Post {number}", author=IncomingAuthor(external_id=f"author-{number % 12}"))
            for number in range(24)
        ]
        revisions = [row.revisions.get().pk for row in posts]
        score.run(revision_ids=revisions, at=at)
        return list(Score.objects.select_related("revision__post").order_by("pk"))

    return run


def releases(scores: list[Score]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for row in scores:
        found.setdefault(row.revision.post.author_id, set()).add(row.release_id)
    return found


class TestBatch:
    def test_gives_all_posts_of_an_author_to_one_release(
        self, canary: CanaryRun, scored: Callable[[], list[Score]]
    ) -> None:
        found = releases(scored())

        assert len(found) == 12
        assert all(len(one) == 1 for one in found.values())
        for author, one in found.items():
            assert one == {CANDIDATE if canary_arm.is_chosen(canary, author) else RELEASE_ID}

    def test_scores_by_the_live_release_once_it_has_ended(
        self, canary: CanaryRun, scored: Callable[[], list[Score]], at: datetime
    ) -> None:
        CanaryRun.objects.update(stopped_at=at)

        assert {row.release_id for row in scored()} == {RELEASE_ID}

    def test_scores_by_the_live_release_what_the_candidate_cannot_and_counts_it(
        self, canary: CanaryRun, candidate_scorer: FakeScorer, scored: Callable[[], list[Score]]
    ) -> None:
        CanaryRun.objects.update(share=0.5)
        candidate_scorer.is_degraded = True

        found = scored()

        assert len(found) == 24
        assert {row.release_id for row in found} == {RELEASE_ID}
        canary.refresh_from_db()
        assert canary.failures == 1

    def test_holds_an_outage_of_triton_not_against_the_candidate(
        self,
        canary: CanaryRun,
        candidate_scorer: FakeScorer,
        fake_scorer: FakeScorer,
        scored: Callable[[], list[Score]],
    ) -> None:
        candidate_scorer.is_degraded = fake_scorer.is_degraded = True

        assert len(scored()) == 24

        canary.refresh_from_db()
        assert canary.failures == 0


class TestAtOnce:
    def test_gives_an_author_to_the_same_release_when_the_sender_waits(
        self, canary: CanaryRun, scored: Callable[[], list[Score]], post: Callable[..., Post], at: datetime
    ) -> None:
        before = releases(scored())

        for number in range(12):
            row = post(text=f"Now {number}", author=IncomingAuthor(external_id=f"author-{number}"))
            score.at_once(revision_id=row.revisions.get().pk, at=at)

        found = list(Score.objects.select_related("revision__post").order_by("pk"))
        assert len(found) == 36
        assert releases(found) == before
        assert len({release for one in before.values() for release in one}) == 2

    def test_is_scored_by_the_live_release_while_the_candidate_is_being_loaded(
        self,
        canary: CanaryRun,
        post: Callable[..., Post],
        at: datetime,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def low_latency(self: FakeScorers, release_id: str = "") -> Scorer:
            if release_id:
                raise scorer.Loading(release_id)
            return self.live()

        monkeypatch.setattr(FakeScorers, "low_latency", low_latency)

        for number in range(12):
            row = post(text=f"Now {number}", author=IncomingAuthor(external_id=f"author-{number}"))
            score.at_once(revision_id=row.revisions.get().pk, at=at)

        assert set(Score.objects.values_list("release", flat=True)) == {RELEASE_ID}


class TestIsChosen:
    def test_chooses_the_share_of_authors(self) -> None:
        row = CanaryRun(pk=1, share=0.1)

        assert 150 < sum(canary_arm.is_chosen(row, author) for author in range(2_000)) < 250
