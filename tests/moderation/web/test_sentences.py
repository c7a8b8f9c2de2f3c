"""Features in words: what was counted, or nothing."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import translation

from moderation.queries.cases.counted import Counted
from moderation.web import sentences
from moderation.web.sentences import Leaning
from scoring.features import FEATURES, NAMES, NO_MODELS, extract
from scoring.records import (
    AuthorSnapshot,
    ComplaintRecord,
    History,
    JourneyStep,
    Link,
    LinkReputation,
    PostRecord,
)
from tests.scoring.random_records import AT, record

EVERY = (*NAMES, sentences.CONTENT)
FORCED = (0.0, 1.0, 0.1, 0.44, 3.0, 1e9, 1e-9, -5.0, math.nan, math.inf, -math.inf)
NUMBER = re.compile(r"\d+")
# A duration is a number of its own, and so is what the words themselves hold ("100 points", "24 hours").
DURATIONS = {"days", "hours", "seconds"}
OF_THE_WORDS = {24, 100, 0, 1}


def decisions(spam: int, fine: int, *, posts: int | None = None) -> History:
    return History(
        posts=spam + fine if posts is None else posts,
        posts_24h=min(7, spam + fine),
        confirmed_spam=spam,
        confirmed_not_spam=fine,
        complaints=spam * 11,
        authors=min(5, spam + fine),
        first_seen_at=AT - timedelta(days=400),
        recent_spam=spam * 0.37,
        recent_not_spam=fine * 0.37,
        spam_days=min(2, spam),
        spam_authors=min(2, spam),
        spam_complaints=spam * 11,
    )


def known(history: History, **parts: Any) -> PostRecord:
    """A post of which every history is the same."""
    complaint = ComplaintRecord(
        reason="spam",
        reported_at=AT - timedelta(minutes=3),
        reporter_confirmed=history.confirmed_spam,
        reporter_rejected=history.confirmed_not_spam,
    )
    link = Link(
        url="http://shop.example/a/1",
        host="shop.example",
        domain="shop.example",
        domain_history=history,
        url_posts=history.posts,
        author_posts=history.posts,
        reputation=LinkReputation(trust_score=12.0, threat_score=1.0, live_since_at=AT - timedelta(days=9)),
    )
    fields: dict[str, Any] = {
        "author": AuthorSnapshot(
            external_id="author-1",
            created_at=AT - timedelta(days=40),
            email_domain="mail.example",
            friends=history.posts,
            followers=history.posts,
            is_verified=False,
            posts=history.posts,
        ),
        "author_history": history,
        "same_text_by_author": history.posts,
        "ip": "192.0.2.7",
        "ip_history": history,
        "ip_network_history": history,
        "ip_asn": 64500,
        "ip_asn_history": history,
        "email_domain_history": history,
        "resembling": history,
        "similar": history,
        "links": (link,),
        "journey": tuple(JourneyStep(name=f"step{n % 3}", at_ms=n * n * 900) for n in range(6)),
        "complaints": (complaint,),
        "shares": history.posts,
        "comments": history.posts,
    }
    return record(**{**fields, **parts})


HISTORIES = {
    "nothing": History(),
    "undecided": decisions(0, 0, posts=17),
    "1 of 1": decisions(1, 0),
    "1 of 2": decisions(1, 1),
    "3 of 3": decisions(3, 0),
    "4 of 9": decisions(4, 5),
    "0 of 20": decisions(0, 20),
    "extreme": decisions(10**9, 10**9),
}
RECORDS = {name: known(history) for name, history in HISTORIES.items()} | {
    "unknown": record(),
    "crowd": known(decisions(4, 5), complaints=tuple(known(decisions(2, 1)).complaints * 7)),
    "clock ahead": known(
        dataclasses.replace(decisions(4, 5), first_seen_at=AT + timedelta(days=3)),
        posted_at=AT + timedelta(hours=2),
        author=AuthorSnapshot(external_id="author-1", created_at=AT + timedelta(days=1), posts=3),
        journey=(JourneyStep(name="key", at_ms=50), JourneyStep(name="post", at_ms=-900)),
    ),
}


def walked() -> Iterator[tuple[str, str, float, sentences.Said | None]]:
    """Every sentence of every record, for the feature's own value and for values that cannot be."""
    for name, post in RECORDS.items():
        own = dict(zip(NAMES, extract(post, models=NO_MODELS).tolist(), strict=True))
        for feature in EVERY:
            for value in (own.get(feature, 0.93), *FORCED):
                yield name, feature, value, sentences.said(feature, value, record=post)


def numbers_of(post: PostRecord) -> set[int]:
    """Every whole number that the record holds, the sums and differences that are counts as well."""
    found = {len(post.complaints), len(post.links), len(post.journey), *OF_THE_WORDS}
    found.add(len({step.name for step in post.journey}))
    histories = [
        post.author_history,
        post.ip_history,
        post.similar,
        *(one.domain_history for one in post.links),
    ]
    for history in histories:
        found |= {value for value in dataclasses.astuple(history) if isinstance(value, int)}
        found.add(history.confirmed_spam + history.confirmed_not_spam)
        found.add(history.posts - history.confirmed_spam)
    right = sum(one.reporter_confirmed for one in post.complaints)
    found |= {right, right + sum(one.reporter_rejected for one in post.complaints)}
    found |= {one.reporter_confirmed + one.reporter_rejected for one in post.complaints}
    return found | {post.author.posts or 0, post.author.friends or 0, post.author.followers or 0}


def ungrouped(words: str) -> str:
    return re.sub(r"(?<=\d)[,.](?=\d{3})", "", words)


def said_numbers(words: str) -> set[int]:
    return {int(number) for number in NUMBER.findall(ungrouped(words))}


@pytest.mark.parametrize("language", ["en", "de"])
class TestEverySentence:
    def test_reads_well_whatever_the_record(self, language: str) -> None:
        with translation.override(language):
            for name, feature, value, said in walked():
                if said is None:
                    continue
                words = said.words
                assert not re.search(r"\b(nan|NaN|inf|None)\b|[{]|-\d|\N{MINUS SIGN}", words), (
                    name,
                    feature,
                    value,
                    words,
                )
                assert words[0].isupper() or words[0].isdigit() or words[0] in "<>", (name, feature, words)

    def test_a_share_is_a_count_of_three_or_more(self, language: str) -> None:
        """Per cent are for the text model and for digits in a URL, never for decisions or complaints."""
        with translation.override(language):
            for name, feature, value, said in walked():
                if said is None or feature in {sentences.CONTENT, "context.url_digit_share"}:
                    continue
                assert "%" not in said.words, (name, feature, value, said.words)
                of = re.search(r"(\d+) (?:of|von) (\d+)", ungrouped(said.words))
                assert of is None or int(of[2]) >= 3, (name, feature, said.words)

    def test_every_count_stands_in_the_record(self, language: str) -> None:
        units = {feature.name: feature.unit for feature in FEATURES}
        with translation.override(language):
            for name, post in RECORDS.items():
                there = numbers_of(post)
                for feature, own in zip(NAMES, extract(post, models=NO_MODELS).tolist(), strict=True):
                    said = sentences.said(feature, own, record=post)
                    if said is None or units[feature] in DURATIONS | {"ratio"} or "_per_" in feature:
                        continue
                    if feature.startswith("context.url_") and said.counted is None:
                        continue  # measures of the URL itself, not counts of posts
                    assert said_numbers(said.words) <= there, (name, feature, said.words)

    def test_a_history_is_never_said_from_the_models_number(self, language: str) -> None:
        with translation.override(language):
            for name, feature, value, said in walked():
                if said is not None and said.counted is not None and value in {0.44, 3.0, 1e9}:
                    duration = next(one.unit for one in FEATURES if one.name == feature) in DURATIONS
                    assert duration or said_numbers(said.words) <= numbers_of(RECORDS[name]), (name, feature)

    def test_nothing_is_said_of_what_is_unknown_or_undecided(self, language: str) -> None:
        with translation.override(language):
            for feature in EVERY:
                told = sentences.said(feature, math.nan, record=RECORDS["4 of 9"])
                assert told is None, (feature, told)
                undecided = sentences.said(feature, 0.1, record=RECORDS["undecided"])
                if "spam_share" in feature or feature.endswith("confirmed_spam"):
                    assert undecided is None, (feature, undecided)

    def test_nothing_is_said_without_a_record(self, language: str) -> None:
        with translation.override(language):
            assert {sentences.said(feature, 1.0, record=None) for feature in EVERY} == {None}


class TestEveryFeature:
    @pytest.mark.parametrize("feature", EVERY)
    def test_has_a_sentence_of_its_own(self, feature: str) -> None:
        assert sentences.has_sentence(feature)


class TestSaid:
    @pytest.mark.parametrize(
        ("feature", "value", "history", "words"),
        [
            ("social.spam_share", 0.32, "4 of 9", "4 of 9 decided posts of this author were spam"),
            ("social.spam_share", 0.44, "3 of 3", "3 of 3 decided posts of this author were spam"),
            ("social.spam_share", 0.25, "1 of 1", "Among decided posts of this author: 1 spam"),
            ("social.spam_share", 0.2, "1 of 2", "Among decided posts of this author: 1 spam, 1 not spam"),
            ("social.spam_share", 0.02, "0 of 20", "0 of 20 decided posts of this author were spam"),
            ("social.confirmed_spam", 4.0, "4 of 9", "4 of 9 decided posts of this author were spam"),
            (
                "context.ip_spam_share",
                0.2,
                "4 of 9",
                "4 of 9 decided posts from this address were spam; old ones count less",
            ),
            ("social.similar_spam_share", 0.1, "0 of 20", "0 of 20 decided near-duplicates were spam"),
            (
                "social.known_posts",
                5.0,
                "4 of 9",
                "5 earlier posts of the author here, not confirmed as spam",
            ),
            ("social.known_posts", 0.0, "nothing", "The author's first post here"),
            ("feedback.complaints", 1.0, "4 of 9", "1 complaint about this post"),
            ("feedback.spam_reason_share", 1.0, "4 of 9", "1 complaint about this post"),
            ("feedback.complaints_per_hour", 1.0, "4 of 9", "1 complaint in the 1 hour since it was posted"),
            (
                "feedback.best_reporter_reliability",
                0.45,
                "4 of 9",
                "The best reporter was right in 4 of 9 judged complaints before",
            ),
            ("journey.distinct_step_share", 0.5, "4 of 9", "3 different steps among 6"),
            ("context.url_is_ip_host", 1.0, "4 of 9", "The link leads to a bare IP address"),
            ("content.text", 0.93, "4 of 9", "The text by itself: 93% spam"),
            ("later.unheard_of", 3.0, "4 of 9", "later.unheard_of: 3"),
        ],
    )
    def test_says_what_was_counted(self, feature: str, value: float, history: str, words: str) -> None:
        said = sentences.said(feature, value, record=RECORDS[history])

        assert said is not None
        assert said.words == words

    @pytest.mark.parametrize(
        ("feature", "value"),
        [
            ("social.spam_share", 0.1),
            ("social.is_reported_spammer", 0.0),
            ("social.similar_posts", 0.0),
            ("context.url_is_shortener", 0.0),
            ("context.ip_complaints", 0.0),
            ("feedback.shares", 0.0),
        ],
    )
    def test_says_nothing_where_there_is_nothing(self, feature: str, value: float) -> None:
        assert sentences.said(feature, value, record=RECORDS["nothing"]) is None

    def test_a_missing_journey_is_not_spoken_of(self) -> None:
        journey = [name for name in NAMES if name.startswith("journey.")]

        assert {sentences.said(name, math.nan, record=record()) for name in journey} == {None}

    def test_names_the_list_that_was_counted(self) -> None:
        said = sentences.said("context.domain_spam_share", 0.3, record=RECORDS["4 of 9"])

        assert said is not None
        assert (said.counted, said.domain) == (Counted.DOMAIN, "shop.example")

    def test_says_the_domain_with_most_spam(self) -> None:
        links = tuple(
            Link(url=f"http://{name}/", host=name, domain=name, domain_history=decisions(spam, 3))
            for name, spam in (("one.example", 1), ("nine.example", 9), ("none.example", 0))
        )

        said = sentences.said("context.domain_spam_share", 0.5, record=record(links=links))

        assert said is not None
        assert said.domain == "nine.example"
        assert said.words == "9 of 12 decided posts with a linked domain were spam"


class TestLeaning:
    @pytest.mark.parametrize(
        ("feature", "value", "history", "leaning"),
        [
            ("context.ip_complaints", 5.0, "4 of 9", Leaning.SPAM),
            ("social.spam_share", 0.1, "0 of 20", Leaning.HONEST),
            ("social.spam_share", 0.4, "4 of 9", Leaning.SPAM),
            ("social.is_verified", 1.0, "4 of 9", Leaning.HONEST),
            ("context.url_pattern_suspicion", 0.91, "4 of 9", Leaning.SPAM),
            ("content.text", 0.3, "4 of 9", Leaning.HONEST),
            ("feedback.comments", 3.0, "4 of 9", Leaning.EITHER),
        ],
    )
    def test_is_what_a_reader_expects(
        self, feature: str, value: float, history: str, leaning: Leaning
    ) -> None:
        said = sentences.said(feature, value, record=RECORDS[history])

        assert said is not None
        assert said.leaning is leaning
        assert said.agrees_with(0.5) is (leaning is not Leaning.HONEST)
        assert said.agrees_with(-0.5) is (leaning is not Leaning.SPAM)
