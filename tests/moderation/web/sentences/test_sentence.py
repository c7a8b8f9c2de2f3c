"""What single sentences say of known records."""

from __future__ import annotations

import math

import pytest

from moderation.queries.cases.counted import Counted
from moderation.web import sentences
from moderation.web.sentences import Leaning
from scoring.evidence import MEDIA, EvidencePiece, PictureRead
from scoring.features import NAMES
from scoring.records import Link
from tests.moderation.web.sentences.known_records import RECORDS, decisions
from tests.scoring.random_records import record


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.93, "A picture looks like spam"),
        (0.98, "The text in a picture reads like spam"),
        (0.4, ""),
    ],
)
def test_a_picture_is_told_by_what_it_shows_or_says(value: float, words: str) -> None:
    shown = EvidencePiece(role=MEDIA, picture=PictureRead(spam_probability=0.93))

    said = sentences.said("content.picture_probability", value, record=record(evidence=(shown,)))

    assert (said.words if said else "") == words


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
                "5 earlier posts by the author here, not confirmed as spam",
            ),
            ("social.known_posts", 0.0, "nothing", "The author's first post here"),
            ("feedback.complaints", 1.0, "4 of 9", "1 complaint about this post"),
            ("feedback.spam_reason_share", 1.0, "4 of 9", "1 complaint about this post"),
            ("feedback.complaints_per_hour", 1.0, "4 of 9", "1 complaint in the 1 hour since it was posted"),
            (
                "feedback.best_reporter_reliability",
                0.45,
                "4 of 9",
                "The best reporter was right in 4 of 9 earlier judged complaints",
            ),
            ("journey.distinct_step_share", 0.5, "4 of 9", "3 different steps among 6"),
            ("context.url_is_ip_host", 1.0, "4 of 9", "The link leads to a bare IP address"),
            ("content.text", 0.93, "4 of 9", "The words read like spam (93%)"),
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

    @pytest.mark.parametrize(
        ("host", "words"),
        [
            ("shop24.example", "32% of the URL's characters are digits"),
            ("xn--94qu47l.example", None),
            ("login.xn--94qu47l.example", None),
        ],
    )
    def test_counts_no_digits_that_punycode_has_made(self, host: str, words: str | None) -> None:
        """The 94 and 47 of xn--94qu47l were typed by nobody: the sender wrote Chinese."""
        link = Link(url=f"http://{host}/", host=host, domain=host)

        said = sentences.said("context.url_digit_share", 0.32, record=record(links=(link,)))

        assert (said.words if said else None) == words

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
            ("context.url_length", 200.0, "4 of 9", Leaning.SPAM),
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
