"""Features of near-duplicates and of accounts that look alike, by table."""

from __future__ import annotations

import pytest

from scoring.features import similar_posts
from scoring.records import History
from tests.scoring.features.values import value_of
from tests.scoring.random_records import record

COPIES = History(posts=20, posts_24h=15, confirmed_spam=5, complaints=7, authors=11)
ALIKE = History(posts=9, confirmed_spam=3, complaints=6, authors=4, spam_authors=2)


class TestFeatures:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("social.similar_posts", 20),
            ("social.similar_posts_24h", 15),
            ("social.similar_authors", 11),
            ("social.similar_spam_share", 5.5 / 10),
            ("social.similar_confirmed_spam", 5),
            ("social.similar_confirmed_honest", 0),
            ("social.similar_complaints", 7),
            ("social.resembling_authors", 4),
            ("social.resembling_spam_share", 3.5 / 8),
            ("social.resembling_spammers", 2),
            ("social.resembling_complaints", 6),
        ],
    )
    def test_of_a_text_that_many_posted(self, name: str, value: float) -> None:
        assert value_of(name, record(similar=COPIES, resembling=ALIKE)) == pytest.approx(value)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("social.similar_posts", 0),
            ("social.similar_posts_24h", 0),
            ("social.similar_authors", 0),
            ("social.similar_spam_share", 0.1),
            ("social.similar_confirmed_spam", 0),
            ("social.similar_confirmed_honest", 0),
            ("social.similar_complaints", 0),
            ("social.resembling_authors", 0),
            ("social.resembling_spam_share", 0.1),
            ("social.resembling_spammers", 0),
            ("social.resembling_complaints", 0),
        ],
    )
    def test_of_a_text_that_nobody_posted_before(self, name: str, value: float) -> None:
        assert value_of(name, record()) == pytest.approx(value)

    def test_every_feature_stands_in_the_tables(self) -> None:
        assert len(similar_posts.FEATURES) == 11
