"""Posts of the last week whose route other thresholds change: counted exactly, listed page by page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation import scorer
from moderation.models import Post, Revision
from moderation.operations.scoring import score
from moderation.queries.learning import dry_run, traffic
from moderation.queries.learning.dry_run import Change
from scoring.release import Safety, Thresholds
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer

WANTED = Thresholds(review_from=0.3, remove_from=0.8, audit_rate=0.0)
"""Live are 0.2 and 0.9."""


@pytest.fixture
def scored(post: Post_, fake_scorer: FakeScorer, at: datetime) -> Callable[[list[float]], list[Post]]:
    def run(probabilities: list[float]) -> list[Post]:
        fake_scorer.probabilities = {f"post {one}": one for one in probabilities}
        rows = [post(text=f"post {one}") for one in probabilities]
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)
        return rows

    return run


class TestCount:
    def test_counts_each_change(self, scored: Callable[..., list[Post]], at: datetime) -> None:
        scored([0.1, 0.2, 0.25, 0.3, 0.5, 0.8, 0.85, 0.9, 0.95])

        found = dry_run.count(traffic.subject(scorer.release()), wanted=WANTED, at=at)

        assert found.changes == (
            Change(before="review", after="allow", posts=2),
            Change(before="review", after="remove", posts=2),
        )
        assert found.is_whole

    def test_counts_nothing_older_than_a_week(self, scored: Callable[..., list[Post]], at: datetime) -> None:
        scored([0.25])

        found = dry_run.count(traffic.subject(scorer.release()), wanted=WANTED, at=at + timedelta(days=7))

        assert found.posts == 0

    def test_keeps_the_safety_bounds(
        self, scored: Callable[..., list[Post]], fake_scorer: FakeScorer, at: datetime
    ) -> None:
        scored([0.85])
        fake_scorer.release.safety = Safety(remove_alone_from={"content": 0.9})

        found = dry_run.count(traffic.subject(scorer.release()), wanted=WANTED, at=at)

        assert found.changes == ()


class TestPosts:
    def test_are_listed_page_by_page(
        self, scored: Callable[..., list[Post]], at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dry_run, "_SHOWN", 2)
        rows = scored([0.21, 0.22, 0.5, 0.23, 0.81])
        wanted = [rows[4].pk, rows[3].pk, rows[1].pk, rows[0].pk]

        first = dry_run.posts(traffic.subject(scorer.release()), wanted=WANTED, at=at)
        second = dry_run.posts(
            traffic.subject(scorer.release()), wanted=WANTED, at=at, cursor=first.next_cursor
        )

        assert [row.post_id for row in (*first.rows, *second.rows)] == wanted
        assert second.next_cursor == ""
        assert (first.rows[0].before, first.rows[0].after) == ("review", "remove")


@pytest.mark.django_db
def test_traffic_is_counted_by_thousandths(scored: Callable[..., list[Post]], at: datetime) -> None:
    scored([0.1, 0.2, 0.25, 0.5, 0.95])
    about = traffic.subject(scorer.release())

    with CaptureQueriesContext(connection) as queries:
        found = traffic.traffic(about, at=at)

    assert len(queries) == 1
    assert (found.allowed(WANTED), found.removed(WANTED), found.posts) == (3, 1, 5)
    assert found.cases(WANTED) == 1


@pytest.mark.django_db
def test_a_platform_without_its_own_thresholds_is_refused(fake_scorer: FakeScorer) -> None:
    with pytest.raises(traffic.UnknownPlatform):
        traffic.subject(scorer.release(), slug="social")
