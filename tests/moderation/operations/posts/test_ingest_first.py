"""The short way of a post that nobody stored yet: the same rows, in fewer statements."""

from __future__ import annotations

from datetime import datetime

from pytest_django import DjangoAssertNumQueries

from moderation.models import Author, Platform, Post, PostLink, Revision
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from tests.moderation.conftest import Incoming
from tests.moderation.operations.posts.arrivals import SPAM


class TestFirst:
    """A single post that nobody sent before takes fewer statements, and ends in the same rows."""

    @staticmethod
    def accept(platform: Platform, at: datetime, post: IncomingPost) -> ingest.Accepted:
        [answer] = ingest.accept(platform=platform, posts=[post], at=at)
        assert isinstance(answer, ingest.Accepted)
        return answer

    def test_leaves_the_rows_that_a_batch_leaves(
        self, platform: Platform, incoming: Incoming, at: datetime
    ) -> None:
        text = "it's 100% \\ ☃ 'quoted' see https://a.example/1 and https://b.example/2"
        whole = {
            "text": text,
            "author": IncomingAuthor(external_id="a%s", display_name="A 'b'", friends=3, created_at=at),
            "ip": "2001:db8::1",
            "ip_asn": 64500,
            "language": "en",
            "user_agent": "x",
            "links": ("https://a.example/1",),
            "media_urls": ("https://m.example/1",),
            "journey": (("open", 0), ("send", 900)),
            "shares": 0,
            "views": 12,
        }
        self.accept(platform, at, incoming(**whole))
        ingest.accept(platform=platform, posts=[incoming(**whole), incoming()], at=at)

        alone, batched, _ = (
            {
                name: value
                for name, value in vars(revision).items()
                if name not in ("_state", "id", "post_id", "body_digest")
            }
            for revision in Revision.objects.order_by("pk")
        )
        assert alone == batched
        first, second, _ = Post.objects.order_by("pk")
        assert (first.author, first.received_at, first.latest_revision) == (second.author, at, 1)
        links = PostLink.objects.order_by("position").values_list(
            "revision__post", "domain__name", "url", "url_digest", "host", "received_at"
        )
        assert [row[1:] for row in links if row[0] == first.pk] == [
            row[1:] for row in links if row[0] == second.pk
        ]
        assert len(links) == 4

    def test_takes_three_statements(
        self,
        platform: Platform,
        incoming: Incoming,
        at: datetime,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        self.accept(platform, at, incoming(text=SPAM.format(1)))

        with django_assert_num_queries(3):
            self.accept(platform, at, incoming(text=SPAM.format(2)))

    def test_repeats_without_effect(self, platform: Platform, incoming: Incoming, at: datetime) -> None:
        same = incoming()

        first, second = self.accept(platform, at, same), self.accept(platform, at, same)

        assert (first.is_new, second.is_new) == (True, False)
        assert first.revision_id == second.revision_id

    def test_renames_an_author(self, platform: Platform, incoming: Incoming, at: datetime) -> None:
        for name in ("Old", "New", ""):
            author = IncomingAuthor(external_id="somebody", display_name=name)
            self.accept(platform, at, incoming(author=author))

        assert Author.objects.get().display_name == "New"
        assert Post.objects.count() == 3

    def test_joins_a_complaint_that_came_first(
        self, platform: Platform, incoming: Incoming, at: datetime
    ) -> None:
        complaint = complaints.IncomingComplaint(
            post="early", reporter="honest_author", reason="spam", reported_at=at
        )
        early = complaints.record(platform=platform, complaint=complaint, at=at)

        self.accept(platform, at, incoming(external_id="early"))

        early.refresh_from_db()
        assert early.post == Post.objects.get()
