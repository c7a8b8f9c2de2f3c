"""Records of posts that never came in here: as scoring would have made them, and nothing is kept."""

from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps

from moderation.models import Platform, Revision
from moderation.operations.learning import past_posts
from moderation.operations.learning.past_posts import PastPost, PastRecord
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.similarity import text_groups
from moderation.queries.records import records

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _past(number: int, *, text: str = "", author: str = "ann", is_spam: bool | None = None) -> PastPost:
    posted_at = NOON + timedelta(hours=number)
    post = IncomingPost(
        external_id=f"p{number}",
        text=text or f"Text number {number} about bread",
        posted_at=posted_at,
        author=IncomingAuthor(external_id=author),
    )
    return PastPost(
        post=post,
        is_spam=is_spam,
        is_judged=is_spam is not None,
        decided_at=posted_at + timedelta(minutes=90),
    )


def _records(posts: list[PastPost]) -> list[PastRecord]:
    return past_posts.records_of(posts, platform="forum", told=lambda _: None)


def _counts() -> dict[str, int]:
    models = apps.get_app_config("moderation").get_models()
    return {model.__name__: model._default_manager.count() for model in models}


@pytest.mark.django_db
class TestRecordsOf:
    def test_counts_what_was_before_and_judged_before(self) -> None:
        made = _records([_past(0, is_spam=True), _past(1), _past(2, is_spam=False), _past(3)])

        histories = [one.record.author_history for one in made]
        assert [history.posts for history in histories] == [0, 1, 2, 3]
        # Judged an hour and a half after posting: the third post is the first that could know.
        assert [history.confirmed_spam for history in histories] == [0, 0, 1, 1]
        assert [history.confirmed_not_spam for history in histories] == [0, 0, 0, 0]

    def test_an_unjudged_post_is_confirmed_as_nothing(self) -> None:
        made = _records([_past(0), _past(5)])

        assert (made[1].record.author_history.posts, made[1].record.author_history.confirmed_not_spam) == (
            1,
            0,
        )

    def test_near_duplicates_share_a_group(self) -> None:
        text = "Win a free phone today at http://win.example/now, only for the first hundred who come"
        made = _records([_past(0, text=text), _past(1, text=f"{text}!", author="bob"), _past(2)])

        assert made[0].group == made[1].group != made[2].group
        assert [one.record.similar.posts for one in made] == [0, 1, 0]
        assert made[1].record.links[0].domain_history.posts == 1

    def test_is_the_record_that_intake_makes(self, platform: Platform) -> None:
        posts = [_past(0, text="See http://bread.example/a"), _past(1, text="See http://bread.example/b")]
        for past in posts:
            ingest.store(platform=platform, posts=[past.post], at=past.post.posted_at)
        made = past_posts.records_of(posts, platform=platform.slug, told=lambda _: None)

        revisions = list(Revision.objects.select_related("post__platform", "post__author"))
        text_groups.backfill(revisions=revisions)
        assert [one.record for one in made] == [
            records.record_at(revision=revision, at=revision.post.posted_at) for revision in revisions
        ]

    def test_nothing_is_kept_also_the_second_time(self, platform: Platform) -> None:
        before = _counts()

        for _ in range(7):  # more often than a statement is sent before it is prepared
            made = _records([_past(0, is_spam=True), _past(1)])
            assert made[1].record.author_history.posts == 1

        assert _counts() == before
        assert Platform.objects.get() == platform
