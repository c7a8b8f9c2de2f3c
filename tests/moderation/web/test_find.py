"""Search, entity pages and kept filters through their addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Author, Case, Post, SavedFilter, User
from moderation.models.cases import Verdict
from moderation.operations.cases import claims, review
from moderation.operations.intake.incoming_post import IncomingAuthor
from moderation.queries import search
from moderation.queries.entities import domains
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]
Post_ = Callable[..., Post]


@pytest.fixture
def linked(open_case: Case_) -> Case:
    """A case that links to a host of shop.example, sent from an address."""
    return open_case(text="see https://www.shop.example/a", ip="203.0.113.7", at=timezone.now())


class TestPosts:
    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=grey+cat", True), ("q=gre*", True), ("q=gre", False), ("q=cat+-river", False),
         ("q=%22cat+near%22", True), ("q=%22near+cat%22", False), ("q=post-1", True), ("q=%00", True),
         ("state=waiting", True), ("state=spam", False), ("state=nonsense", True),
         ("language=fr", True), ("language=de", False),
         ("address=203.0.113.0/24", True), ("address=203.0.113.8", False), ("address=nonsense", False),
         ("since=2026-03-01&until=2026-03-01", True), ("until=2026-02-28", False)],
    )  # fmt: skip
    def test_are_found(self, desk: Client, open_case: Case_, query: str, is_found: bool) -> None:
        open_case(language="fr", ip="203.0.113.7")

        body = desk.get(f"/posts/?{query}", headers=HTMX).content.decode()

        assert ("grey cat" in body) is is_found

    def test_are_found_by_host_as_by_domain(self, desk: Client, linked: Case) -> None:
        for name in ("shop.example", "www.shop.example"):
            assert "203.0.113.7" in desk.get(f"/posts/?domain={name}").content.decode()

    def test_are_found_by_their_standing_verdict(self, desk: Client, linked: Case, moderator: User) -> None:
        at = timezone.now()
        claims.claim(case_id=linked.pk, moderator=moderator, at=at)
        review.decide(case_id=linked.pk, case_version=1, moderator=moderator, verdict=Verdict.SPAM, at=at)

        assert "203.0.113.7" in desk.get("/posts/?state=spam").content.decode()
        assert "203.0.113.7" not in desk.get("/posts/?state=not_spam").content.decode()

    def test_hide_the_probability_of_a_waiting_audit_sample(self, desk: Client, linked: Case) -> None:
        linked.score.is_audit_sample = True
        linked.score.save()

        body = desk.get("/posts/").content.decode()

        assert "hidden" in body
        assert "50%" not in body

    def test_page_without_gaps_or_repeats(self, desk: Client, post: Post_) -> None:
        made = [post(text=f"number {number}").pk for number in range(7)]
        viewer = User.objects.get()
        first = search.posts(wanted=search.PostFilter(), viewer=viewer, limit=4)
        second = search.posts(wanted=search.PostFilter(), viewer=viewer, limit=4, cursor=first.next_cursor)

        assert [row.post_id for row in (*first.rows, *second.rows)] == made[::-1]
        assert second.next_cursor == ""

    @pytest.mark.parametrize("cursor", ["nonsense", "-1", "٣", "9" * 40])
    def test_refuse_a_made_up_cursor(self, desk: Client, cursor: str) -> None:
        assert desk.get(f"/posts/?cursor={cursor}").status_code == 404

    def test_need_the_same_few_queries_for_any_number_of_rows(
        self, desk: Client, open_case: Case_, django_assert_num_queries: Any
    ) -> None:
        desk.get("/posts/")
        for number in range(2):
            open_case(text=f"https://shop{number}.example/ offer")
        with django_assert_num_queries(5):
            desk.get("/posts/")
        for number in range(9):
            open_case(text=f"https://stall{number}.example/ offer")

        with django_assert_num_queries(5):
            desk.get("/posts/")

    @pytest.mark.parametrize(
        "text", ["𠀀 " * 49_999, "a-b " * 24_000, "https://x.example/" + "a/" * 40_000, "\u0301" * 100_000]
    )
    def test_of_any_content_are_taken_in(self, post: Post_, text: str) -> None:
        assert post(text=text[:100_000]).pk


class TestAuthors:
    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=Grey", True), ("q=gr", True), ("q=author-77", True), ("q=Grau", False), ("state=waiting", True),
         ("state=spam", False), ("state=reported", False), ("", True)],
    )  # fmt: skip
    def test_are_found(self, desk: Client, open_case: Case_, query: str, is_found: bool) -> None:
        open_case(author=IncomingAuthor(external_id="author-77", display_name="Greta Grey"))

        assert ("Greta Grey" in desk.get(f"/authors/?{query}").content.decode()) is is_found

    def test_who_only_report_are_not_listed(self, desk: Client, platform: Any) -> None:
        Author.objects.create(platform=platform, external_id="reader", first_seen_at=timezone.now())

        assert "reader" not in desk.get("/authors/").content.decode()

    def test_have_a_page_with_posts_domains_and_addresses(self, desk: Client, linked: Case) -> None:
        body = desk.get(f"/authors/{linked.post.author_id}/").content.decode()

        assert "/domains/shop.example/" in body
        assert "/addresses/203.0.113.7/" in body
        assert '<rect class="fill--' in body
        assert f"/review/{linked.pk}/" in body

    def test_need_few_queries(self, desk: Client, linked: Case, django_assert_max_num_queries: Any) -> None:
        with django_assert_max_num_queries(16):
            desk.get(f"/authors/{linked.post.author_id}/")

    def test_that_nobody_saw_are_not_found(self, desk: Client) -> None:
        assert desk.get("/authors/999/").status_code == 404


class TestAddresses:
    def test_have_a_page_alone_and_as_a_range(self, desk: Client, linked: Case) -> None:
        alone = desk.get("/addresses/203.0.113.7/").content.decode()
        together = desk.get("/addresses/203.0.113.0/24/").content.decode()

        assert "/addresses/203.0.113.0/24/" in alone
        assert "/addresses/203.0.113.7/" in together

    def test_are_brought_to_their_canonical_form(self, desk: Client) -> None:
        assert desk.get("/addresses/203.0.113.9/24/").headers["Location"] == "/addresses/203.0.113.0/24/"

    @pytest.mark.parametrize("address", ["nonsense", "0.0.0.0/0", "203.0.113.7/99", "::/8"])
    def test_that_are_none_or_too_wide_are_not_found(self, desk: Client, address: str) -> None:
        assert desk.get(f"/addresses/{address}/").status_code == 404


class TestDomains:
    def test_are_listed_with_their_history(self, desk: Client, linked: Case) -> None:
        body = desk.get("/domains/").content.decode()

        assert "shop.example" in body
        assert "none yet" in body

    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=sho", True), ("q=hop", False), ("which=all", True), ("which=banned", False)],
    )
    def test_are_found(self, desk: Client, linked: Case, query: str, is_found: bool) -> None:
        assert ("shop.example" in desk.get(f"/domains/?{query}", headers=HTMX).content.decode()) is is_found

    def test_tell_leads_what_a_ban_would_have_hit(
        self, desk: Client, lead_desk: Client, linked: Case
    ) -> None:
        assert "<strong>1 post</strong> so far" in lead_desk.get("/domains/shop.example/").content.decode()
        assert "so far" not in desk.get("/domains/shop.example/").content.decode().replace("Rules so far", "")

    def test_page_by_name(self, desk: Client, open_case: Case_) -> None:
        for number in range(5):
            open_case(text=f"https://shop{number}.example/")
        first = domains.page(which="all", at=timezone.now(), limit=3)
        second = domains.page(which="all", at=timezone.now(), limit=3, cursor=first.next_cursor)

        assert [row.name for row in (*first.rows, *second.rows)] == [f"shop{n}.example" for n in range(5)]

    def test_that_nobody_saw_are_not_found(self, desk: Client) -> None:
        assert desk.get("/domains/unheard.example/").status_code == 404

    def test_need_few_queries(
        self, desk: Client, open_case: Case_, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(6):
            open_case(text=f"https://shop{number}.example/", at=timezone.now())

        with django_assert_max_num_queries(6):
            desk.get("/domains/")


class TestKeptFilters:
    def test_lead_back_to_the_list(self, desk: Client) -> None:
        form = {"page": "posts", "name": "French", "query": "?language=fr&cursor=5&x=1&q="}

        answer = desk.post("/filters/keep/", form)

        assert answer.headers["Location"] == "/posts/?language=fr"
        assert '<a class="kept__name" href="/posts/?language=fr">' in desk.get("/posts/").content.decode()

    def test_are_ones_own(self, desk: Client, lead_desk: Client) -> None:
        desk.post("/filters/keep/", {"page": "posts", "name": "French", "query": "language=fr"})
        kept = SavedFilter.objects.get()

        lead_desk.post(f"/filters/{kept.pk}/forget/", {"page": "posts"})
        assert SavedFilter.objects.exists()
        assert "French" not in lead_desk.get("/posts/").content.decode()

        desk.post(f"/filters/{kept.pk}/forget/", {"page": "posts"})
        assert not SavedFilter.objects.exists()

    def test_replace_one_of_the_same_name(self, desk: Client) -> None:
        for language in ("fr", "de"):
            desk.post("/filters/keep/", {"page": "queue", "name": "Mine", "query": f"language={language}"})

        assert SavedFilter.objects.get().query == "language=de"

    def test_are_at_most_twenty(self, desk: Client) -> None:
        for number in range(21):
            desk.post("/filters/keep/", {"page": "queue", "name": str(number), "query": ""})

        assert SavedFilter.objects.count() == 20

    @pytest.mark.parametrize("form", [{"page": "queue", "name": ""}, {"page": "nonsense", "name": "x"}])
    def test_need_a_name_and_a_list(self, desk: Client, form: dict[str, str]) -> None:
        desk.post("/filters/keep/", form)

        assert not SavedFilter.objects.exists()
