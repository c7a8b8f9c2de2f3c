"""Features in words."""

from __future__ import annotations

import math

import pytest

from moderation.web import sentences
from scoring.features import FEATURES


@pytest.mark.parametrize("feature", [*(feature.name for feature in FEATURES), sentences.CONTENT])
class TestEveryFeature:
    def test_has_a_sentence_of_its_own(self, feature: str) -> None:
        assert sentences.has_sentence(feature)

    @pytest.mark.parametrize("value", [0.0, 1.0, 0.37, 12.0, 1234.5, math.nan])
    def test_reads_well_whatever_the_value(self, feature: str, value: float) -> None:
        words = sentences.sentence(feature, value)

        assert words
        assert "nan" not in words.lower()
        assert "{" not in words
        assert words[0].isupper() or words[0].isdigit()


class TestSentence:
    @pytest.mark.parametrize(
        ("feature", "value", "words"),
        [
            ("social.account_age_days", 2.0, "The account is 2 days old"),
            ("social.followers", 1.0, "1 account follows the author"),
            ("social.followers", 1200.0, "1,200 accounts follow the author"),
            ("social.followers", 0.0, "Nobody follows the author"),
            ("feedback.complaints", 1.0, "1 complaint about this post"),
            ("journey.seconds", 0.9, "Written and posted within 0.9 s"),
            ("context.url_is_ip_host", 1.0, "The link leads to a bare IP address"),
            ("context.url_is_ip_host", math.nan, "The post has no links"),
            ("content.text", 0.93, "The text by itself: 93% spam"),
            ("later.unheard_of", 3.0, "later.unheard_of: 3"),
        ],
    )
    def test_says_the_value(self, feature: str, value: float, words: str) -> None:
        assert sentences.sentence(feature, value) == words
