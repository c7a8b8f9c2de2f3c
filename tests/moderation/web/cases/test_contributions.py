"""Which reasons come first, and where the others are found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Score, User
from moderation.queries.cases.case_pages import case_page
from moderation.queries.cases.scored_post import ScoredPost
from moderation.web.cases import contributions
from scoring.features import NAMES

Scored = Callable[..., ScoredPost]
CONTRIBUTIONS = [
    ["content.text", 0.98, 3.5],
    ["social.posts_24h", 9.0, 1.2],
    ["social.email_domain_is_disposable", 1.0, 0.9],
    ["social.spam_share", 0.4, 0.8],
    ["context.url_is_shortener", 1.0, 0.7],
    ["journey.has_paste", 1.0, 0.6],
    ["feedback.complaints", 0.0, -0.2],
    ["social.retired_feature", 1.0, 0.1],
]


@pytest.fixture
def case(open_case: Callable[..., Case]) -> Case:
    return open_case(links=("https://short.example/x",))


@pytest.fixture
def scored(case: Case, moderator: User) -> Scored:
    """A case's score with contributions of one's own."""

    def read(reasons: list[list[Any]], **record: Any) -> ScoredPost:
        stored = Score.objects.get(pk=case.score_id).record
        past = {"posts": 12, "authors": 1, "posts_24h": 9, "confirmed_spam": 4, "confirmed_not_spam": 5}
        stored |= {"author_history": past} | record
        Score.objects.filter(pk=case.score_id).update(record=stored, contributions=reasons)
        return case_page(case_id=case.pk, viewer=moderator, at=timezone.now()).scored

    return read


def top(scored: ScoredPost) -> list[str]:
    return [line.words for line in contributions.top(contributions.groups(scored, is_unread=False))]


class TestTop:
    def test_are_three_that_a_person_can_check(self, scored: Scored) -> None:
        assert top(scored(CONTRIBUTIONS)) == [
            "9 posts by the author in the previous 24 hours",  # stands for all that counts the author's posts
            "The author's email domain offers disposable addresses",
            "A URL shortener hides where the link leads",
        ]

    def test_are_the_strongest_one_where_none_can_be_checked(self, scored: Scored) -> None:
        reasons = [["content.text", 0.98, 3.5], ["journey.has_paste", 1.0, 0.6]]

        assert top(scored(reasons)) == ["The text alone: 98% spam"]

    def test_never_begin_with_the_text_where_something_can_be_checked(self, scored: Scored) -> None:
        """That the text looks like spam is what is asked, and what its bar says already."""
        reasons = [["content.text", 0.98, 3.5], ["context.url_is_shortener", 1.0, 0.06]]

        assert top(scored(reasons)) == ["A URL shortener hides where the link leads"]

    def test_hold_no_fact_that_is_absent(self, scored: Scored) -> None:
        reasons = [["feedback.complaints", 0.0, -0.9], ["context.url_posts", 3.0, 0.2]]

        assert top(scored(reasons)) == ["3 earlier posts have exactly this URL"]


class TestGroups:
    def test_are_those_of_the_sub_models(self, scored: Scored) -> None:
        found = contributions.groups(scored(CONTRIBUTIONS), is_unread=False)

        assert [(group.name, len(group.lines), group.signed) for group in found] == [
            ("Text", 1, "+3.50"),
            ("Behaviour", 5, "+3.60"),
            ("Address and links", 1, "+0.70"),
            ("Complaints", 1, "\N{MINUS SIGN}0.20"),
        ]

    def test_are_few_and_leave_out_what_moves_nothing(self, scored: Scored) -> None:
        """Forty-nine lines that end in +0.01 are read by nobody."""
        known = {feature for feature, _, _ in CONTRIBUTIONS}
        reasons = CONTRIBUTIONS + [[name, 1.0, 0.01] for name in NAMES if name not in known]

        found = contributions.groups(scored(reasons), is_unread=False)

        names = [group.name for group in found]
        assert names == ["Text", "Behaviour", "Address and links", "Complaints", "Others"]
        lines = [line for group in found for line in group.lines]
        assert len(lines) == len(CONTRIBUTIONS) + 1
        assert min(abs(line.share) for line in lines) >= 0.05
        for group in found:
            shares = [abs(line.share) for line in group.lines]
            assert shares == sorted(shares, reverse=True)
        assert sum(line.share for line in lines) == pytest.approx(sum(share for _, _, share in reasons))

    def test_hold_a_sentence_once(self, scored: Scored) -> None:
        reasons = [["context.link_count", 0.0, -0.4], ["social.same_link_posts", 0.0, -0.2]]

        [group] = contributions.groups(scored(reasons, links=[]), is_unread=False)

        assert (group.name, [line.words for line in group.lines]) == (
            "Address and links",
            ["No links in the post"],
        )
        assert group.signed == "\N{MINUS SIGN}0.60"


class TestPage:
    def test_shows_three_and_folds_all_of_them(self, desk: Client, case: Case, scored: Scored) -> None:
        scored(CONTRIBUTIONS)

        body = desk.get(f"/review/{case.pk}/").content.decode()
        before, fold = body.split('<details class="more">', 1)

        assert before.count("contributions__line") == 3
        assert re.search(r"All reasons \(8\)", fold)
        assert "The text alone" not in before
        assert "The text alone: 98% spam" in fold

    def test_counts_a_single_reason(self, desk: Client, case: Case, scored: Scored) -> None:
        scored([["social.retired", None, 1.0]])

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert re.search(r"All reasons \(1\)", body)
