"""What is known of domains and URLs, by table."""

from __future__ import annotations

import dataclasses
import math
from datetime import timedelta

import pytest

from scoring.features import Models, links
from scoring.records import Link, LinkReputation
from scoring.urls import UrlModel
from tests.scoring.features.values import SPAMMY, value_of
from tests.scoring.random_records import AT, record
from tests.scoring.starter import STARTER

NEW = Link(url="https://new.example/", host="new.example", domain="new.example")
KNOWN = Link(
    url="https://www.known.example/a?b=1",
    host="www.known.example",
    domain="known.example",
    domain_history=SPAMMY,
    url_posts=4,
    author_posts=2,
)
SHRUNK = 8.5 / 15
MODELS = Models(urls=UrlModel.load(STARTER))


class TestDomain:
    @pytest.mark.parametrize(
        ("name", "known", "both"),
        [
            ("context.domain_days_known", 3 - 1 / 24, 0),
            ("context.domain_posts", 40, 0),
            ("context.domain_posts_24h", 9, 9),
            ("context.domain_authors", 6, 0),
            ("context.domain_spam_share", SHRUNK, SHRUNK),
            ("context.domain_complaints", 5, 5),
            ("context.url_posts", 4, 4),
        ],
    )
    def test_the_most_suspicious_link_counts(self, name: str, known: float, both: float) -> None:
        assert value_of(name, record(links=(KNOWN,))) == pytest.approx(known)
        assert value_of(name, record(links=(KNOWN, NEW))) == pytest.approx(both)

    def test_without_links_only_what_providers_say_is_unknown(self) -> None:
        """The rest is as of the least suspicious link, so that a link never lowers a score."""
        linkless = {name: value_of(name, record(links=()), models=MODELS) for name in LINK_FEATURES}

        unknown = {name for name, value in linkless.items() if math.isnan(value)}
        assert unknown == {"context.url_age_days", "context.url_wot_score", "context.url_google_score"}
        assert linkless.pop("context.domain_spam_share") == pytest.approx(0.1)
        assert not any(value for name, value in linkless.items() if name not in unknown)


class TestReputation:
    def test_the_worst_known_link_counts(self) -> None:
        trusted = LinkReputation(trust_score=93.0, threat_score=0.0, live_since_at=AT - timedelta(days=4000))
        listed = LinkReputation(threat_score=1.0, live_since_at=AT - timedelta(days=2))
        links = tuple(dataclasses.replace(NEW, reputation=one) for one in (trusted, listed, LinkReputation()))

        assert value_of("context.url_wot_score", record(links=links)) == 93.0
        assert value_of("context.url_google_score", record(links=links)) == 1.0
        assert value_of("context.url_age_days", record(links=links)) == pytest.approx(2)

    @pytest.mark.parametrize("name", ["url_wot_score", "url_google_score", "url_age_days"])
    def test_is_unknown_if_no_provider_spoke(self, name: str) -> None:
        assert math.isnan(value_of(f"context.{name}", record(links=(NEW, KNOWN))))


def test_pattern_probability_asks_the_model_of_the_release() -> None:
    phishing = Link(
        url="http://a.example/wp-includes/js/paypal.com/webscr.php?cmd=_login-run&dispatch=5885d80a13c0db1f",
        host="a.example",
        domain="a.example",
    )
    name = "context.url_pattern_suspicion"

    assert value_of(name, record(links=(NEW, phishing)), models=MODELS) > 0.8
    assert value_of(name, record(links=(NEW,)), models=MODELS) == 0.0
    assert value_of(name, record(), models=MODELS) == 0.0
    assert math.isnan(value_of(name, record(links=(phishing,))))


LINK_FEATURES = [feature.name for feature in links.FEATURES]
