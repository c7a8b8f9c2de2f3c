"""Address, domain and URL features, by table."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoring.features import context
from scoring.records import History, Link
from tests.scoring.features.values import value_of
from tests.scoring.random_records import AT, record

NAN = float("nan")
SPAMMY = History(
    posts=40,
    posts_24h=9,
    confirmed_spam=8,
    confirmed_not_spam=2,
    complaints=5,
    authors=6,
    first_seen_at=AT - timedelta(days=3),
)
NEW = Link(url="https://new.example/", host="new.example", domain="new.example")
KNOWN = Link(
    url="https://www.known.example/a?b=1",
    host="www.known.example",
    domain="known.example",
    domain_history=SPAMMY,
    url_posts=4,
    author_posts=2,
)
FROM_IP = record(ip="192.0.2.7", ip_history=SPAMMY, ip_network_history=History())
SHRUNK = 8.5 / 15


class TestAddress:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("context.ip_spam_share", SHRUNK),
            ("context.ip_network_spam_share", 0.1),
            ("context.ip_authors", 6),
            ("context.ip_posts_24h", 9),
            ("context.ip_complaints", 5),
            ("context.ip_days_known", 3),
        ],
    )
    def test_of_a_known_address(self, name: str, value: float) -> None:
        assert value_of(name, FROM_IP) == pytest.approx(value)

    @pytest.mark.parametrize("name", [feature.name for feature in context.FEATURES if ".ip_" in feature.name])
    def test_without_an_address_all_are_unknown(self, name: str) -> None:
        assert value_of(name, record(ip=None, ip_history=SPAMMY)) == pytest.approx(NAN, nan_ok=True)

    def test_a_new_address_is_known_for_no_time(self) -> None:
        assert value_of("context.ip_days_known", record(ip="192.0.2.8")) == 0.0


class TestDomain:
    @pytest.mark.parametrize(
        ("name", "known", "both"),
        [
            ("context.domain_days_known", 3, 0),
            ("context.domain_posts", 40, 0),
            ("context.domain_posts_24h", 9, 9),
            ("context.domain_authors", 6, 0),
            ("context.domain_spam_share", SHRUNK, SHRUNK),
            ("context.domain_complaints", 5, 5),
            ("context.url_posts", 4, 4),
            ("context.link_count", 1, 2),
            ("context.distinct_domains", 1, 2),
        ],
    )
    def test_the_most_suspicious_link_counts(self, name: str, known: float, both: float) -> None:
        assert value_of(name, record(links=(KNOWN,))) == pytest.approx(known)
        assert value_of(name, record(links=(KNOWN, NEW))) == pytest.approx(both)

    def test_without_links_only_the_counts_are_known(self) -> None:
        linkless = record(links=())

        known = [name for name in LINK_FEATURES if value_of(name, linkless) == 0.0]
        unknown = [name for name in LINK_FEATURES if value_of(name, linkless) != value_of(name, linkless)]

        assert known == ["context.link_count", "context.distinct_domains"]
        assert len(known) + len(unknown) == len(LINK_FEATURES)


class TestUrl:
    def test_is_the_worst_over_the_links(self) -> None:
        both = record(links=(NEW, KNOWN))

        assert value_of("context.url_length", both) == len(KNOWN.url)
        assert value_of("context.url_subdomains", both) == 1
        assert value_of("context.url_path_tokens", both) == 3


LINK_FEATURES = [feature.name for feature in context.FEATURES if ".ip_" not in feature.name]
