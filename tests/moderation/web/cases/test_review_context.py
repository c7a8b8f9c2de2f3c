"""What happened around a post."""

from __future__ import annotations

from django.test import Client

from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import HTMX, asked


def test_draws_what_happened_around_the_post(desk: Client, open_case: Case_, decided: Decided) -> None:
    decided(open_case(text="An earlier post", ip="198.51.100.7"), verdict="spam")
    case = open_case(text="See https://shop.example/", ip="198.51.100.9")

    body = desk.get(f"/review/{case.pk}/context/", headers=HTMX).content.decode()

    assert body.count("lanes__mark--this") == 1
    assert "lanes__mark--spam" in body
    assert "shop.example" in body
    assert "198.51.100.0/24" in body


def test_needs_few_queries(desk: Client, open_case: Case_) -> None:
    case = open_case(text="See https://shop.example/", ip="198.51.100.9")

    assert len(asked(desk, f"/review/{case.pk}/context/", headers=HTMX)) <= 18
