"""Posts and complaints come in, repeated, contradicting, early, in one batch; new posts go a short way."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from moderation.models import Author, Domain, Platform, Post, PostLink, Revision, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent
from tests.moderation.conftest import Incoming
from tests.moderation.instants import AT
from tests.moderation.operations.posts.arrivals import SPAM, accept, accepted

TOLD = IncomingParent(
    external_id="parent", text="What do you think?", author_external_id="writer", author_name="Wilma"
)


class TestAccept:
    def test_stores_post_author_revision_and_links(self, platform: Platform, incoming: Incoming) -> None:
        answer = accepted(platform, AT, incoming(text=SPAM.format("a"), links=("https://other.example/x",)))

        assert answer.score_state == ScoreState.PENDING
        assert Author.objects.get().external_id == "honest_author"
        assert list(PostLink.objects.values_list("domain__name", flat=True)) == [
            "other.example",
            "pills.example",
        ]

    def test_repeats_without_effect(self, platform: Platform, incoming: Incoming) -> None:
        same = incoming()

        first, second = accepted(platform, AT, same), accepted(platform, AT, same)

        assert first.revision_id == second.revision_id
        assert Revision.objects.count() == 1

    def test_refuses_other_content_under_one_revision(self, platform: Platform, incoming: Incoming) -> None:
        before = incoming()
        accept(platform, AT, before)

        [answer] = accept(platform, AT, dataclasses.replace(before, text="something else"))

        assert isinstance(answer, ingest.Refused)
        assert answer.code == "revision_conflict"
        assert Revision.objects.get().text == before.text

    def test_allows_counts_to_move_within_a_revision(self, platform: Platform, incoming: Incoming) -> None:
        before = incoming(shares=1)
        accept(platform, AT, before)

        accepted(platform, AT, dataclasses.replace(before, shares=20, views=900))

        assert (Revision.objects.get().shares, Revision.objects.get().views) == (20, 900)

    def test_supersedes_older_unscored_revisions(self, platform: Platform, incoming: Incoming) -> None:
        before = incoming()
        accept(platform, AT, before)
        accept(platform, AT, dataclasses.replace(before, text="edited", revision=2))

        states = ScoringJob.objects.order_by("revision__number").values_list("state", flat=True)

        assert list(states) == [ScoreState.SUPERSEDED, ScoreState.PENDING]
        assert Post.objects.get().latest_revision == 2

    def test_keeps_the_latest_revision_when_they_arrive_in_the_wrong_order(
        self, platform: Platform, incoming: Incoming
    ) -> None:
        newer = incoming(revision=2)
        accept(platform, AT, newer, dataclasses.replace(newer, text="older", revision=1))

        assert Post.objects.get().latest_revision == 2
        assert Revision.objects.get(number=1).scoring.state == ScoreState.SUPERSEDED

    def test_answers_in_order_also_for_duplicates_in_one_batch(
        self, platform: Platform, incoming: Incoming
    ) -> None:
        one, two = incoming(), incoming()

        answers = accept(platform, AT, two, one, two, dataclasses.replace(one, text="other"))

        assert [answer.external_id for answer in answers] == [two.external_id, one.external_id] * 2
        assert isinstance(answers[3], ingest.Refused)
        assert Revision.objects.count() == 2

    def test_costs_the_same_queries_for_one_post_and_for_fifty(
        self, platform: Platform, incoming: Incoming, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        many = [incoming(text=SPAM.format(number)) for number in range(50)]

        with django_assert_max_num_queries(22):
            accept(platform, AT, *many)

    def test_stores_links_in_the_order_of_posts_whatever_the_plan(
        self, platform: Platform, incoming: Incoming
    ) -> None:
        """Campaigns look at the first posts of an instant, as an index gives them."""
        domains = [Domain(name=f"{number}.example", first_seen_at=AT) for number in range(3_000)]
        Domain.objects.bulk_create(domains)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE moderation_domain")
            cursor.execute("SET LOCAL enable_nestloop = off")  # as a large batch is joined

        accept(platform, AT, *(incoming(links=("https://one.example/buy",)) for _ in range(40)))

        with connection.cursor() as cursor:
            cursor.execute("SELECT revision_id FROM moderation_postlink ORDER BY id")
            stored = [revision_id for (revision_id,) in cursor.fetchall()]
        assert len(stored) == 40
        assert stored == sorted(stored)


def kept(external_id: str) -> tuple[str, str, str | None]:
    """Return what the revision of a post holds of its parent."""
    row = Revision.objects.select_related("parent_author").get(post__external_id=external_id)
    author = row.parent_author.display_name if row.parent_author else None
    return row.parent_external_id, row.parent_text, author


class TestParents:
    def test_text_and_author_are_kept_of_one_not_here(self, platform: Platform, incoming: Incoming) -> None:
        accept(platform, AT, incoming(external_id="one", parent=TOLD))
        accept(platform, AT, incoming(external_id="two", parent=TOLD), incoming(external_id="three"))

        assert kept("one") == kept("two") == ("parent", "What do you think?", "Wilma")
        assert kept("three") == ("", "", None)

    def test_only_the_id_is_kept_of_one_that_is(self, platform: Platform, incoming: Incoming) -> None:
        accept(platform, AT, incoming(external_id="parent"))

        accept(platform, AT, incoming(external_id="one", parent=TOLD))

        assert kept("one") == ("parent", "", None)
        assert not Author.objects.filter(external_id="writer").exists()

    def test_of_another_platform_is_another_post(self, platform: Platform, incoming: Incoming) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        accept(other, AT, incoming(external_id="parent"))

        accept(platform, AT, incoming(external_id="one", parent=TOLD))

        assert kept("one") == ("parent", "What do you think?", "Wilma")

    def test_an_author_who_posts_is_called_as_there(self, platform: Platform, incoming: Incoming) -> None:
        author = dataclasses.replace(incoming().author, external_id="writer", display_name="Wilma W.")

        accept(platform, AT, incoming(author=author), incoming(external_id="one", parent=TOLD))

        assert kept("one") == ("parent", "What do you think?", "Wilma W.")

    def test_what_is_told_may_change_within_a_revision_but_not_what_is_answered(
        self, platform: Platform, incoming: Incoming
    ) -> None:
        before = incoming(external_id="one", parent=TOLD)
        accept(platform, AT, before)

        renamed = dataclasses.replace(TOLD, text="What did you think?", author_name="W.")
        accepted(platform, AT, dataclasses.replace(before, parent=renamed))
        moved = dataclasses.replace(TOLD, external_id="another")
        [other] = accept(platform, AT, dataclasses.replace(before, parent=moved))

        assert Revision.objects.count() == 1
        assert isinstance(other, ingest.Refused)
        assert other.code == "revision_conflict"

    @pytest.mark.django_db(transaction=True)
    def test_costs_a_new_post_at_most_one_statement(self, platform: Platform, incoming: Incoming) -> None:
        def queries(**given: Any) -> int:
            with CaptureQueriesContext(connection) as asked:
                accept(platform, AT, incoming(**given))
            return len(asked)

        alone = queries(external_id="alone")

        assert queries(external_id="one", parent=IncomingParent(external_id="parent")) == alone
        told = IncomingParent(external_id="parent", text="What?")
        assert queries(external_id="two", parent=told) == alone + 1


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
