"""Sentences: of known records, and of every feature over many records (what was counted, or nothing)."""

import dataclasses
import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from django.utils import translation

from moderation.queries.cases.counted import Counted
from moderation.web import sentences
from moderation.web.sentences import Leaning
from scoring.evidence import MEDIA, EvidencePiece, PictureRead
from scoring.features import ALL_FEATURES, FEATURES, NAMES, NO_MODELS, collected, extract
from scoring.records import Link, PostRecord
from tests.moderation.web.sentences.known_records import RECORDS, decisions
from tests.scoring.random_records import record


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

    def test_names_the_list_that_was_counted_and_the_domain_with_most_spam(self) -> None:
        links = tuple(
            Link(url=f"http://{name}/", host=name, domain=name, domain_history=decisions(spam, 3))
            for name, spam in (("one.example", 1), ("nine.example", 9), ("none.example", 0))
        )

        said = sentences.said("context.domain_spam_share", 0.5, record=record(links=links))

        assert said is not None
        assert (said.counted, said.domain) == (Counted.DOMAIN, "nine.example")
        assert said.words == "9 of 12 decided posts with a linked domain were spam"

    @pytest.mark.parametrize(
        ("value", "words"),
        [(0.98, "The text in a picture reads like spam"), (0.4, "")],
    )
    def test_a_picture_is_told_by_what_it_says(self, value: float, words: str) -> None:
        shown = EvidencePiece(role=MEDIA, picture=PictureRead())

        said = sentences.said("content.picture_probability", value, record=record(evidence=(shown,)))

        assert (said.words if said else "") == words


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
    def test_is_what_readers_expect(self, feature: str, value: float, history: str, leaning: Leaning) -> None:
        said = sentences.said(feature, value, record=RECORDS[history])

        assert said is not None
        assert said.leaning is leaning
        assert said.agrees_with(0.5) is (leaning is not Leaning.HONEST)
        assert said.agrees_with(-0.5) is (leaning is not Leaning.SPAM)


EVERY = (*NAMES, *collected.NAMES, sentences.CONTENT)
FORCED = (0.0, 1.0, 0.1, 0.44, 3.0, 1e9, 1e-9, -5.0, math.nan, math.inf, -math.inf)
NUMBER = re.compile(r"\d+")
# A duration is a number of its own, and so is what the words themselves hold ("100 points", "24 hours").
DURATIONS = {"days", "hours", "seconds"}
OF_THE_WORDS = {24, 100, 0, 1}


def walked() -> Iterator[tuple[str, str, float, sentences.Said | None]]:
    """Every sentence of every record, for the feature's own value and for values that cannot be."""
    for name, post in RECORDS.items():
        own = dict(zip((*NAMES, *collected.NAMES), values_of(post), strict=True))
        for feature in EVERY:
            for value in (own.get(feature, 0.93), *FORCED):
                yield name, feature, value, sentences.said(feature, value, record=post)


def values_of(post: PostRecord) -> list[float]:
    """All features of a record; what a content model would read of its evidence is likely spam."""
    found = collected.row(post, read=np.full(3, 0.93 if post.evidence else math.nan))
    return [*extract(post, models=NO_MODELS).tolist(), *found.tolist()]


def numbers_of(post: PostRecord) -> set[int]:
    """Every whole number that the record holds, the sums and differences that are counts as well."""
    found = {len(post.complaints), len(post.links), len(post.journey), *OF_THE_WORDS}
    found.add(len({step.name for step in post.journey}))
    linked = [one.domain_history for one in post.links]
    for history in (post.author_history, post.ip_history, post.similar, *linked):
        found |= {value for value in dataclasses.astuple(history) if isinstance(value, int)}
        found.add(history.confirmed_spam + history.confirmed_not_spam)
        found.add(history.posts - history.confirmed_spam)
    found |= {piece.hops for piece in post.evidence}
    found |= {len(piece.picture.codes) for piece in post.evidence if piece.picture is not None}
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
                where = (name, feature, value, words)
                assert not re.search(r"\b(nan|NaN|inf|None)\b|[{]|-\d|\N{MINUS SIGN}", words), where
                assert words[0].isupper() or words[0].isdigit() or words[0] in "<>", where

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
        units = {feature.name: feature.unit for feature in ALL_FEATURES}
        with translation.override(language):
            for name, post in RECORDS.items():
                there = numbers_of(post)
                for feature, own in zip((*NAMES, *collected.NAMES), values_of(post), strict=True):
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


@pytest.mark.parametrize("feature", EVERY)
def test_has_a_sentence_of_its_own(feature: str) -> None:
    assert feature in sentences._SENTENCES
