"""The short way of a post that nobody stored yet: the same rows, in fewer statements."""

from __future__ import annotations

from pytest_django import DjangoAssertNumQueries

from moderation.models import Author, Platform, Post, PostLink, Revision
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import Incoming
from tests.moderation.instants import AT
from tests.moderation.operations.posts.arrivals import SPAM, accepted


class TestFirst:
    def test_leaves_the_rows_that_a_batch_leaves(self, platform: Platform, incoming: Incoming) -> None:
        text = "it's 100% \\ ☃ 'quoted' see https://a.example/1 and https://b.example/2"
        whole = {
            "text": text,
            "author": IncomingAuthor(external_id="a%s", display_name="A 'b'", friends=3, created_at=AT),
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
        accepted(platform, AT, incoming(**whole))
        ingest.accept(platform=platform, posts=[incoming(**whole), incoming()], at=AT)

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
        assert (first.author, first.received_at, first.latest_revision) == (second.author, AT, 1)
        links = PostLink.objects.order_by("position").values_list(
            "revision__post", "domain__name", "url", "url_digest", "host", "received_at"
        )
        assert [row[1:] for row in links if row[0] == first.pk] == [
            row[1:] for row in links if row[0] == second.pk
        ]
        assert len(links) == 4

    def test_takes_three_statements(
        self, platform: Platform, incoming: Incoming, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        accepted(platform, AT, incoming(text=SPAM.format(1)))

        with django_assert_num_queries(3):
            accepted(platform, AT, incoming(text=SPAM.format(2)))

    def test_renames_an_author(self, platform: Platform, incoming: Incoming) -> None:
        for name in ("Old", "New", ""):
            author = IncomingAuthor(external_id="somebody", display_name=name)
            accepted(platform, AT, incoming(author=author))

        assert Author.objects.get().display_name == "New"
        assert Post.objects.count() == 3
