"""Every sentence of every feature, over many records: what was counted, or nothing."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from django.utils import translation

from moderation.web import sentences
from scoring.features import ALL_FEATURES, FEATURES, NAMES, NO_MODELS, collected, extract
from scoring.records import PostRecord
from tests.moderation.web.sentences.known_records import RECORDS

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
