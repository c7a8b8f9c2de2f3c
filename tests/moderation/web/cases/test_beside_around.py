"""What stands open around a case where there is room."""

# ruff: noqa: F811 - fixtures of another module are arguments here

from __future__ import annotations

import re

import pytest
from django.test import Client

from moderation.models import Case
from moderation.models.cases import CaseReason
from tests.moderation.conftest import Case_, Decided
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures
from tests.moderation.web.conftest import HTMX, asked, read


def around(desk: Client, case: Case) -> str:
    return read(desk, f"/review/{case.pk}/around/", headers=HTMX)


class TestAround:
    def test_shows_the_authors_posts_similar_ones_and_lanes(self, desk: Client, counted_case: Case) -> None:
        body = around(desk, counted_case)
        author, similar = body.split("Similar posts", 1)

        assert re.search(r"\d+ of \d+ judged posts? (?:was|were) spam", author)
        assert re.search(r'href="/posts/\d+/"', author)
        assert re.search(r'href="/posts/\d+/"', similar)
        assert "lanes__mark--this" in similar
        assert f'href="/posts/{counted_case.post_id}/"' not in body

    def test_opens_nothing_in_the_window_of_the_case(self, desk: Client, counted_case: Case) -> None:
        body = around(desk, counted_case)

        assert body.count('href="/posts/') == body.count('target="_blank"') > 0

    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.RANDOM, CaseReason.SECOND])
    def test_hides_similar_posts_while_a_case_is_judged_blindly(
        self, desk: Client, counted_case: Case, reason: CaseReason
    ) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=reason)

        _, similar = around(desk, counted_case).split("Similar posts", 1)

        assert "hidden until you decide" in similar
        assert 'href="/posts/' not in similar

    def test_says_what_each_mark_is(self, desk: Client, open_case: Case_, decided: Decided) -> None:
        decided(open_case(text="An earlier post"), verdict="spam")

        body = around(desk, open_case())

        assert re.search(r"<title>this post, \d+ \w+ ago</title>", body)
        assert re.search(r"<title>\d+ \w+ ago, spam</title>", body)
        assert re.search(r"2, latest \d+ \w+ ago; 1 spam, 0 not", body)

    def test_is_closed_to_who_may_not_see_the_case(self, desk: Client, case_in_front: Case) -> None:
        Case.objects.update(is_escalated=True, claimed_by=None)

        assert desk.get(f"/review/{case_in_front.pk}/around/", headers=HTMX).status_code == 404

    def test_needs_as_many_queries_for_many_posts(self, desk: Client, open_case: Case_) -> None:
        cases = [open_case(text="buy these pills now, cheap and fast") for _ in range(8)]

        assert len(asked(desk, f"/review/{cases[-1].pk}/around/", headers=HTMX)) <= 28
