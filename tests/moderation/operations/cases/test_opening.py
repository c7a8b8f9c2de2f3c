"""Opening cases. Promise: many cost as many statements as one, and each is what the post's case would be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation.models import Case, Post, Revision, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.operations.cases import opening
from moderation.operations.cases.opening import Opening
from moderation.operations.scoring import score
from moderation.queries import latest_scores
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.cases.conftest import complain


@pytest.fixture
def posts(post: Post_, fake_scorer: FakeScorer) -> list[Post]:
    """Six posts that the filter let pass."""
    fake_scorer.default = 0.05
    rows = [post() for _ in range(6)]
    run(at=later(1))
    return rows


def run(*, at: datetime) -> None:
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=at)


def openings(posts: Sequence[Post]) -> list[Opening]:
    scores = latest_scores.of([post.pk for post in posts])
    return [Opening(post=post, score=scores[post.pk], reason=CaseReason.RECONSIDERED) for post in posts]


class TestAllOpened:
    def test_costs_as_many_statements_for_five_as_for_one(self, posts: list[Post]) -> None:
        spent = []
        for few in (posts[:1], posts[1:]):
            with transaction.atomic(), CaptureQueriesContext(connection) as queries:
                opening.all_opened(openings(few), at=AT)
            spent.append(len(queries))

        assert Case.objects.count() == 6
        assert spent[0] == spent[1]

    def test_counts_complaints_and_versions_of_each_post(self, posts: list[Post]) -> None:
        for number, post in enumerate(posts[:3]):
            complain(post, reporters=number, at=AT)
        opening.all_opened(openings(posts[1:2]), at=AT)
        Case.objects.update(state=CaseState.WITHDRAWN, closed_at=AT)

        cases = opening.all_opened(openings(posts[:3]), at=AT)

        assert [case.post for case in cases] == posts[:3]
        assert [case.complaint_count for case in cases] == [0, 1, 2]
        assert [case.version for case in cases] == [1, 2, 1]
        assert {round(case.uncertainty, 6) for case in cases} == {0.1}

    def test_tells_nothing_of_an_audit_samples_probability(self, posts: list[Post]) -> None:
        Score.objects.filter(revision__post=posts[0]).update(is_audit_sample=True)

        case = opening.opened(posts[0], reason=CaseReason.SECOND, at=AT)

        assert case.uncertainty == 0.5

    def test_is_on_the_latest_score(self, posts: list[Post], fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.03
        Revision.objects.filter(post=posts[0]).update(score_state="pending", generation=2)
        run(at=later(2))

        case = opening.opened(posts[0], reason=CaseReason.SECOND, at=later(3))

        assert (case.score.generation, case.score.spam_probability) == (2, 0.03)

    def test_refuses_a_post_without_a_score(self, post: Post_) -> None:
        with pytest.raises(opening.NotScored):
            opening.opened(post(), reason=CaseReason.APPEALED, at=AT)


def test_a_batch_of_scores_opens_its_cases_together(post: Post_, fake_scorer: FakeScorer) -> None:
    fake_scorer.default = 0.5
    spent = []
    for number in (2, 6):
        for _ in range(number):
            post()
        with CaptureQueriesContext(connection) as queries:
            run(at=later(1))
        spent.append(sum("moderation_case" in query["sql"] for query in queries.captured_queries))

    assert Case.objects.count() == 8
    assert spent[0] == spent[1]
