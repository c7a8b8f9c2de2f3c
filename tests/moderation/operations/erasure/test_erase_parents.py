"""What an answer repeats of the post that it answers goes with that post, and with its author."""

from __future__ import annotations

import pytest

from moderation.models import Platform, Post, Revision
from moderation.operations.erasure import erase
from moderation.operations.posts.incoming_post import IncomingParent
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT, later
from tests.moderation.operations.erasure.erasures import MALLORY, rows_with

TOLD = IncomingParent(
    external_id="parent", text="Zanzibar", author_external_id="mallory", author_name="Mallory Malicious"
)


@pytest.fixture
def answer(post: Post_) -> Post:
    """A post that came before the one that it answers, and tells of it."""
    return post(external_id="answer", parent=TOLD)


class TestErased:
    def test_with_the_post_that_is_answered(self, answer: Post, post: Post_) -> None:
        parent = post(external_id="parent", text="Zanzibar")

        erase.post(post_id=parent.pk, at=later(1))

        assert rows_with("zanzibar") == []
        row = Revision.objects.get(post=answer)
        assert (row.parent_external_id, row.parent_author) == ("parent", None)
        assert row.text

    def test_with_its_author_also_where_it_never_came(self, answer: Post, platform: Platform) -> None:
        erase.author(platform=platform, external_id="mallory", at=later(1))

        assert rows_with("zanzibar", "mallory") == []
        assert Revision.objects.get(post=answer).text

    def test_with_the_answer_itself(self, answer: Post) -> None:
        erase.post(post_id=answer.pk, at=later(1))

        row = Revision.objects.get(post=answer)
        assert (row.parent_external_id, row.parent_text, row.parent_author) == ("", "", None)
        assert rows_with("zanzibar") == []

    def test_with_the_retention_of_the_post_that_is_answered(
        self, answer: Post, post: Post_, platform: Platform
    ) -> None:
        post(external_id="parent", text="Zanzibar", at=later(-3 * 86_400))
        platform.text_retention_days = 2
        platform.save()

        assert erase.expired(at=AT) == 1

        assert rows_with("zanzibar") == []

    def test_but_not_on_another_platform(self, answer: Post) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        author = answer.author.__class__.objects.create(
            platform=other, external_id=MALLORY.external_id, first_seen_at=AT
        )
        same_name = Post.objects.create(
            platform=other,
            external_id="parent",
            author=author,
            posted_at=AT,
            received_at=AT,
            latest_revision=1,
        )

        erase.post(post_id=same_name.pk, at=later(1))
        erase.author(platform=other, external_id="mallory", at=later(1))

        assert Revision.objects.get(post=answer).parent_text == "Zanzibar"


def test_an_answer_that_comes_after_the_erasure_brings_nothing_back(post: Post_) -> None:
    parent = post(external_id="parent", text="Zanzibar")
    erase.post(post_id=parent.pk, at=later(1))

    post(external_id="answer", parent=TOLD, at=later(2))

    assert rows_with("zanzibar") == []
