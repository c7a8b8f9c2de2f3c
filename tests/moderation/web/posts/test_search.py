"""Search of posts."""

import pytest
from django.test import Client

from moderation.models import Case, User
from moderation.queries import search
from tests.moderation.conftest import Case_, Decided, Post_
from tests.moderation.web.conftest import HTMX, asked


class TestPosts:
    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=grey+cat", True), ("q=gre*", True), ("q=gre", False), ("q=cat+-river", False),
         ("q=%22cat+near%22", True), ("q=%22near+cat%22", False), ("q=%00", True),
         ("q=post-1&state=waiting", True), ("state=waiting", True), ("state=spam", False),
         ("state=nonsense", True),
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

    def test_are_found_by_their_standing_verdict(self, desk: Client, linked: Case, decided: Decided) -> None:
        decided(linked)

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

    @pytest.mark.parametrize("few", [0, 1, 2, 100])
    def test_are_found_by_words_that_few_and_many_have(
        self, desk: Client, post: Post_, few: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "_FEW", few)
        found = [post(text=f"grey heron {number}").pk for number in range(2)]
        post(text="grey cat")

        rows = search.posts(wanted=search.PostFilter(text="heron"), viewer=User.objects.get()).rows

        assert [row.post_id for row in rows] == found[::-1]

    def test_need_the_same_few_queries_for_any_number_of_rows(self, desk: Client, open_case: Case_) -> None:
        desk.get("/posts/")
        for name, more in (("shop", 2), ("stall", 9)):
            for number in range(more):
                open_case(text=f"https://{name}{number}.example/ offer")

            assert len(asked(desk, "/posts/")) == 7

    @pytest.mark.parametrize(
        "text", ["𠀀 " * 49_999, "a-b " * 24_000, "https://x.example/" + "a/" * 40_000, "\u0301" * 100_000]
    )
    def test_of_any_content_are_taken_in(self, post: Post_, text: str) -> None:
        assert post(text=text[:100_000]).pk
