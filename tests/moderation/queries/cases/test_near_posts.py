"""Decided posts that say the same in other words, by the vectors that are stored with scores."""

from django.utils import timezone

from moderation.models import Score, User
from moderation.queries.cases import near_posts
from scoring.content import ContentScore
from tests.moderation.conftest import Case_, judge


def test_shows_those_whose_vectors_are_near(open_case: Case_, moderator: User) -> None:
    job = open_case(text="Earn 300 a day at home, only two hours, write to me")
    cat = open_case(text="Has anybody seen a grey cat near the river?")
    elsewhere = ContentScore((0.0, 0.0), b"\x00\x7f").to_bytes()
    Score.objects.filter(pk=cat.score_id).update(content_score=elsewhere)
    for one in (job, cat):
        judge(one, moderator, at=timezone.now())
    case = open_case(text="Side job! Easy tasks from your sofa pay every evening, message us")

    assert [near.post_id for near in near_posts.same_meaning(case)] == [job.post_id]

    case.score.content_score = None
    assert near_posts.same_meaning(case) == ()
