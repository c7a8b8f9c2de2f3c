"""What happened around a post."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.test import Client

from moderation.models import Case, Decision
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]


class TestContext:
    def test_draws_what_happened_around_the_post(
        self, desk: Client, open_case: Case_, decided: Callable[..., Decision]
    ) -> None:
        decided(open_case(text="An earlier post", ip="198.51.100.7"), verdict="spam")
        case = open_case(text="See https://shop.example/", ip="198.51.100.9")

        body = desk.get(f"/review/{case.pk}/context/", headers=HTMX).content.decode()

        assert body.count("lanes__mark--this") == 1
        assert "lanes__mark--spam" in body
        assert "shop.example" in body
        assert "198.51.100.0/24" in body

    def test_needs_few_queries(
        self, desk: Client, open_case: Case_, django_assert_max_num_queries: Any
    ) -> None:
        case = open_case(text="See https://shop.example/", ip="198.51.100.9")

        with django_assert_max_num_queries(18):
            desk.get(f"/review/{case.pk}/context/", headers=HTMX)
