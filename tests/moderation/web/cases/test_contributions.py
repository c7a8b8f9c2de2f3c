"""Which reasons come first, and where the others are found."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Revision, Score, User
from moderation.queries.cases.case_pages import case_page
from moderation.queries.cases.scored_post import ScoredPost
from moderation.web.cases import contributions, model_view
from scoring.features import NAMES
from tests.moderation.conftest import Case_

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
def case(open_case: Case_) -> Case:
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


def top(scored: ScoredPost, *, probability: float = 0.9, route: str = "review") -> list[str]:
    scored.score.spam_probability, scored.score.route = probability, route
    return [line.words for line in model_view.of(scored, at=timezone.now()).top]


class TestTop:
    def test_are_the_three_strongest_for_the_verdict(self, scored: Scored) -> None:
        assert top(scored(CONTRIBUTIONS)) == [
            "The words read like spam (98%)",
            "9 posts by the author in the previous 24 hours",  # stands for all that counts the author's posts
            "The author's email domain offers disposable addresses",
        ]

    @pytest.mark.parametrize(
        ("probability", "route", "words"),
        [
            (0.9, "review", ["The words read like spam (90%)"]),
            (0.4, "remove", ["The words read like spam (90%)"]),
            (0.4, "review", ["The words read like spam (90%)", "The platform verified the author"]),
            (0.04, "allow", ["The platform verified the author"]),
        ],
    )
    def test_never_argue_against_the_verdict(
        self, scored: Scored, probability: float, route: str, words: list[str]
    ) -> None:
        """A score of 94 % was explained by the age of the account, which spoke against it."""
        reasons = [["social.is_verified", 1.0, -2.4], ["content.text", 0.9, 2.2]]

        assert top(scored(reasons), probability=probability, route=route) == words

    def test_are_facts_that_speak_for_something(self, scored: Scored) -> None:
        """A URL of 27 characters and one link are what honest posts have, too."""
        reasons = [
            ["context.url_length", 27.0, 0.9],
            ["context.link_count", 1.0, 0.8],
            ["context.url_path_tokens", 2.0, 0.7],
            ["context.url_subdomains", 1.0, 0.6],
            ["social.friends", 12.0, 0.6],
            ["social.email_domain_is_disposable", 0.0, -0.6],
        ]

        assert top(scored([*reasons, ["context.url_posts", 3.0, 0.2]])) == [
            "3 earlier posts have exactly this URL"
        ]
        assert top(scored(reasons), probability=0.1, route="allow") == [
            "The author's email domain offers no disposable addresses"
        ]

    def test_count_what_the_bounds_leave_of_them(self, scored: Scored) -> None:
        """An excuse of 4 that is bounded by 0.4 moves less than words that push by 0.9."""
        reasons = [
            ["social.is_verified", 1.0, -3.0],
            ["social.spam_share", 0.02, -1.0],
            ["content.text", 0.29, -0.9],
            ["bounds.withheld", 3.6, 3.6],
        ]
        past = {"author_history": {"posts": 20, "confirmed_not_spam": 20}}

        found = scored(reasons, **past)

        assert top(found, probability=0.2, route="allow") == [
            "The words hardly read like spam (29%)",
            "The platform verified the author",
            "0 of 20 decided posts of this author were spam",
        ]
        signed = {group.name: group.signed for group in contributions.groups(found)}
        assert signed == {"Text": "\N{MINUS SIGN}0.90", "Behaviour": "\N{MINUS SIGN}0.40"}

    def test_name_the_words_that_do_it(self, scored: Scored, desk: Client, case: Case) -> None:
        scored([["content.text", 0.98, 3.5]])
        text = "see the prize and claim it <now> with love at prizes.example/1"
        words = ("prize", "claim", "<now>", "love", "prizes.example/1")
        places = [(text.index(word), text.index(word) + len(word)) for word in words]
        found = zip(places, (2.0, 0.9, 0.4, -1.0, 1.5), strict=True)
        Score.objects.update(word_contributions=[[*place, share] for place, share in found])
        Revision.objects.update(text=text)

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert re.search(r"The words read like spam \(98%\):\s+prize, claim, &lt;now&gt;", body)


class TestGroups:
    def test_are_those_of_the_sub_models(self, scored: Scored) -> None:
        found = contributions.groups(scored(CONTRIBUTIONS))

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

        found = contributions.groups(scored(reasons))

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

        [group] = contributions.groups(scored(reasons, links=[]))

        assert (group.name, group.signed) == ("Address and links", "\N{MINUS SIGN}0.60")
        assert [line.words for line in group.lines] == ["No links in the post"]


class TestPage:
    def test_shows_three_and_folds_all_of_them(self, desk: Client, case: Case, scored: Scored) -> None:
        scored(CONTRIBUTIONS)

        body = desk.get(f"/review/{case.pk}/").content.decode()
        before, fold = body.split('<details class="more ', 1)

        assert before.count("contributions__line") == 3
        assert re.search(r"All reasons \(8\)", fold)
        assert "The words read like spam (98%)" in before

    def test_counts_a_single_reason(self, desk: Client, case: Case, scored: Scored) -> None:
        scored([["social.retired", None, 1.0]])

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert re.search(r"All reasons \(1\)", body)
