"""Decided posts that say the same in other words, by the vectors that are stored with scores."""

from __future__ import annotations

from collections.abc import Callable

from django.utils import timezone

from moderation.models import Case, Score, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review
from moderation.queries.cases import near_posts
from scoring.content import ContentScore


def test_shows_those_whose_vectors_are_near(open_case: Callable[..., Case], moderator: User) -> None:
    job = open_case(text="Earn 300 a day at home, only two hours, write to me")
    cat = open_case(text="Has anybody seen a grey cat near the river?")
    elsewhere = ContentScore((0.0, 0.0), b"\x00\x7f").to_bytes()
    Score.objects.filter(pk=cat.score_id).update(content_score=elsewhere)
    for one in (job, cat):
        now = timezone.now()
        claims.claim(case_id=one.pk, moderator=moderator, at=now)
        review.decide(
            case_id=one.pk, case_version=one.version, moderator=moderator, verdict=Verdict.SPAM, at=now
        )
    case = open_case(text="Side job! Easy tasks from your sofa pay every evening, message us")

    assert [near.post_id for near in near_posts.same_meaning(case)] == [job.post_id]

    case.score.content_score = None
    assert near_posts.same_meaning(case) == ()
