"""Social features, of near-duplicates and of accounts that look alike too, by table."""

import dataclasses
from datetime import timedelta

import pytest

from scoring.records import AuthorSnapshot, History, Link
from tests.scoring.features.values import value_of
from tests.scoring.random_records import AT, record

NAN = float("nan")
HONEST_AUTHOR = AuthorSnapshot(
    external_id="honest_author", created_at=AT - timedelta(days=100), email_domain="mail.example",
    friends=49, followers=99, is_verified=True, posts=500,
)  # fmt: skip
PAST = History(
    posts=12, posts_24h=3, confirmed_spam=2, confirmed_not_spam=3, complaints=4, authors=1,
    first_seen_at=AT - timedelta(days=10),
)  # fmt: skip
LINKS = (
    Link(url="http://a.example/", host="a.example", domain="a.example", author_posts=2),
    Link(url="http://b.example/", host="b.example", domain="b.example", author_posts=6),
)
POST = record(
    author=HONEST_AUTHOR,
    author_history=PAST,
    same_text_by_author=2,
    links=LINKS,
    email_domain_history=History(confirmed_spam=1),
)
COPIES = History(posts=20, posts_24h=15, confirmed_spam=5, complaints=7, authors=11)
ALIKE = History(posts=9, confirmed_spam=3, complaints=6, authors=4, spam_authors=2)


class TestFeatures:
    @pytest.mark.parametrize(
        ("name", "known", "unknown"),
        [
            ("social.account_age_days", 90, NAN),
            ("social.friends", 49, NAN),
            ("social.followers", 99, NAN),
            ("social.followers_per_friend", 2, NAN),
            ("social.is_verified", 1, NAN),
            ("social.posts", 488, NAN),
            ("social.posts_per_day", 488 / 90, NAN),
            ("social.email_domain_is_disposable", 0, 0),
            ("social.email_domain_spam_share", 1.5 / 6, 0.1),
            ("social.is_reported_spammer", 1, 0),
            ("social.known_posts", 10, 0),
            ("social.posts_24h", 3, 0),
            ("social.days_known", 10 - 1 / 24, 0),
            ("social.spam_share", 2.5 / 10, 0.1),
            ("social.confirmed_spam", 2, 0),
            ("social.confirmed_honest", 3, 0),
            ("social.complaints", 4, 0),
            ("social.same_text_posts", 2, 0),
            ("social.same_link_posts", 6, 0),
        ],
    )
    def test_of_a_well_known_author_and_of_one_who_is_only_a_name(
        self, name: str, known: float, unknown: float
    ) -> None:
        assert value_of(name, POST) == pytest.approx(known)
        assert value_of(name, record()) == pytest.approx(unknown, nan_ok=True)

    def test_posting_again_and_waiting_change_no_fact_of_the_account(self) -> None:
        """Else each copy of one text would look a little more honest than the one before."""
        first = record(author=HONEST_AUTHOR)
        later = AT + timedelta(days=30)
        again = record(
            at=later,
            posted_at=later,
            author=dataclasses.replace(HONEST_AUTHOR, posts=519),
            author_history=History(posts=19, authors=1, first_seen_at=AT),
        )

        for name in ("social.account_age_days", "social.posts", "social.posts_per_day"):
            assert value_of(name, again) == value_of(name, first)

    def test_an_account_made_after_the_post_by_another_clock_has_no_age(self) -> None:
        author = AuthorSnapshot(external_id="spammer", created_at=AT + timedelta(minutes=5), posts=3)

        assert value_of("social.account_age_days", record(author=author)) == 0.0
        assert value_of("social.posts_per_day", record(author=author)) == 3.0

    def test_thin_evidence_stays_near_the_prior(self) -> None:
        one = record(author_history=History(confirmed_spam=1))
        many = record(author_history=History(confirmed_spam=50))

        assert value_of("social.spam_share", one) == pytest.approx(0.25)
        assert value_of("social.spam_share", many) > 0.9

    @pytest.mark.parametrize(
        ("domain", "value"),
        [("mailinator.com", 1), ("sub.mailinator.com", 1), ("YOPmail.com.", 1), ("gmail.com", 0), ("", 0)],
    )
    def test_knows_throw_away_mail(self, domain: str, value: float) -> None:
        author = AuthorSnapshot(external_id="a", email_domain=domain)

        found = value_of("social.email_domain_is_disposable", record(author=author))

        assert found == pytest.approx(value, nan_ok=True)

    @pytest.mark.parametrize(
        ("history", "value"),
        [(History(complaints=3), 0), (History(spam_complaints=1), 1), (History(confirmed_spam=1), 1)],
        ids=["a quarrel", "reported", "confirmed"],
    )
    def test_tells_a_reported_spammer_from_a_disliked_author(self, history: History, value: float) -> None:
        assert value_of("social.is_reported_spammer", record(author_history=history)) == value


class TestAlike:
    @pytest.mark.parametrize(
        ("name", "of_many", "of_none"),
        [
            ("social.similar_posts", 20, 0), ("social.similar_posts_24h", 15, 0),
            ("social.similar_authors", 11, 0), ("social.similar_spam_share", 5.5 / 10, 0.1),
            ("social.similar_confirmed_spam", 5, 0), ("social.similar_confirmed_honest", 0, 0),
            ("social.similar_complaints", 7, 0), ("social.resembling_authors", 4, 0),
            ("social.resembling_spam_share", 3.5 / 8, 0.1), ("social.resembling_spammers", 2, 0),
            ("social.resembling_complaints", 6, 0),
        ],
    )  # fmt: skip
    def test_of_a_text_that_many_posted_and_of_a_new_one(
        self, name: str, of_many: float, of_none: float
    ) -> None:
        assert value_of(name, record(similar=COPIES, resembling=ALIKE)) == pytest.approx(of_many)
        assert value_of(name, record()) == pytest.approx(of_none)
