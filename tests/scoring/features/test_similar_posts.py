"""Features of near-duplicates and of accounts that look alike, by table."""

from __future__ import annotations

import pytest

from scoring.records import History
from tests.scoring.features.values import value_of
from tests.scoring.random_records import record

COPIES = History(posts=20, posts_24h=15, confirmed_spam=5, complaints=7, authors=11)
ALIKE = History(posts=9, confirmed_spam=3, complaints=6, authors=4, spam_authors=2)


class TestFeatures:
    @pytest.mark.parametrize(
        ("name", "of_many", "of_none"),
        [
            ("social.similar_posts", 20, 0),
            ("social.similar_posts_24h", 15, 0),
            ("social.similar_authors", 11, 0),
            ("social.similar_spam_share", 5.5 / 10, 0.1),
            ("social.similar_confirmed_spam", 5, 0),
            ("social.similar_confirmed_honest", 0, 0),
            ("social.similar_complaints", 7, 0),
            ("social.resembling_authors", 4, 0),
            ("social.resembling_spam_share", 3.5 / 8, 0.1),
            ("social.resembling_spammers", 2, 0),
            ("social.resembling_complaints", 6, 0),
        ],
    )
    def test_of_a_text_that_many_posted_and_of_a_new_one(
        self, name: str, of_many: float, of_none: float
    ) -> None:
        assert value_of(name, record(similar=COPIES, resembling=ALIKE)) == pytest.approx(of_many)
        assert value_of(name, record()) == pytest.approx(of_none)
