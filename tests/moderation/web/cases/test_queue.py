"""The queue as a moderator sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, User
from moderation.operations.cases import claims
from moderation.queries.cases import queue, queue_filter
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]


class TestQueue:
    def test_lists_the_most_harmful_first_with_its_reason(
        self, desk: Client, open_case: Case_, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.probabilities = {"mild": 0.3, "wild": 0.8}
        open_case(text="mild")
        open_case(text="wild")

        body = desk.get("/queue/").content.decode()

        assert body.index("wild") < body.index("mild")
        assert "Not sure enough to remove" in body
        assert "80%" in body
        assert "Leaning not spam" in body

    def test_shows_no_probability_of_an_audit_sample(self, desk: Client, open_case: Case_) -> None:
        open_case()
        Case.objects.update(reason="audit")

        body = desk.get("/queue/").content.decode()

        assert "hidden: audit sample" in body
        assert "50%" not in body

    def test_needs_the_same_few_queries_for_any_number_of_rows(
        self, desk: Client, open_case: Case_, django_assert_num_queries: Any
    ) -> None:
        desk.get("/queue/")
        for number in range(3):
            open_case(text=f"https://shop{number}.example/ offer")
        with django_assert_num_queries(10):
            desk.get("/queue/")
        for number in range(9):
            open_case(text=f"https://stall{number}.example/ offer")

        with django_assert_num_queries(10):
            desk.get("/queue/")

    @pytest.mark.parametrize(
        ("query", "found"),
        [("reason=audit", False), ("domain=shop.example", True), ("domain=other.example", False),
         ("language=fr", True), ("language=de", False), ("reason=nonsense", True),
         ("age=0", True), ("age=4", False), ("sort=newest&age=9", True)],
    )  # fmt: skip
    def test_filters(self, desk: Client, open_case: Case_, query: str, found: bool) -> None:
        open_case(text="see https://shop.example/a", language="fr")
        Case.objects.update(opened_at=timezone.now())

        body = desk.get(f"/queue/?{query}", headers=HTMX).content.decode()

        assert ("shop[.]example" in body) is found

    def test_pages_without_gaps_or_repeats(self, desk: Client, open_case: Case_) -> None:
        made = {f"/review/{open_case(text=f'post {number}').pk}/" for number in range(7)}
        first = queue.rows(
            viewer=User.objects.get(), wanted=queue_filter.EVERYTHING, at=timezone.now(), limit=4
        )
        second = queue.rows(
            viewer=User.objects.get(),
            wanted=queue_filter.EVERYTHING,
            at=timezone.now(),
            limit=4,
            cursor=first.next_cursor,
        )

        shown = [f"/review/{row.case_id}/" for row in (*first.rows, *second.rows)]
        assert len(shown) == len(set(shown)) == 7
        assert set(shown) == made
        assert second.next_cursor == ""

    def test_refuses_a_made_up_cursor(self, desk: Client) -> None:
        assert desk.get("/queue/?cursor=nonsense").status_code == 404

    def test_is_friendly_when_empty(self, desk: Client) -> None:
        assert "The queue is empty" in desk.get("/queue/").content.decode()

    def test_shows_who_holds_a_case(self, desk: Client, open_case: Case_, other_moderator: User) -> None:
        claims.claim(case_id=open_case().pk, moderator=other_moderator, at=timezone.now())

        assert "other_moderator" in desk.get("/queue/").content.decode()
