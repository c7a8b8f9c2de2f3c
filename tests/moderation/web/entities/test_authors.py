"""The list and the page of authors."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Author, Case
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import asked


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
        assert re.search(r'<rect\s+class="fill--', body)
        assert f"/review/{linked.pk}/" in body

    def test_need_few_queries(self, desk: Client, linked: Case) -> None:
        assert len(asked(desk, f"/authors/{linked.post.author_id}/")) <= 19

    def test_that_nobody_saw_are_not_found(self, desk: Client) -> None:
        assert desk.get("/authors/999/").status_code == 404
