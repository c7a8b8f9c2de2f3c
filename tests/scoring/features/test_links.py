"""What is known of links and how they look, by table; the measures of one URL are in `test_urls`."""

import dataclasses
import math
from dataclasses import replace
from datetime import timedelta

import pytest

from scoring.features import Models, link_looks, links
from scoring.links import links_in
from scoring.records import History, Link, LinkReputation
from scoring.urls import UrlModel
from tests.scoring.features.values import SPAMMY, value_of
from tests.scoring.random_records import AT, record
from tests.scoring.starter import STARTER

NEW = Link(url="https://new.example/", host="new.example", domain="new.example")
KNOWN = Link(
    url="https://www.known.example/a?b=1", host="www.known.example", domain="known.example",
    domain_history=SPAMMY, url_posts=4, author_posts=2,
)  # fmt: skip
SHRUNK = 8.5 / 15
MODELS = Models(urls=UrlModel.load(STARTER))
LINK_FEATURES = [feature.name for feature in links.FEATURES]
URLS = (
    *("https://new.example/", "https://www.known.example/a?b=1", "http://user@xn--pypal-4ve.com/login"),
    *("http://10.1.2.3/9", "https://bit.ly/x", "https://shoes.top/"),
)
LINKS = tuple(Link(url=one.url, host=one.host, domain=one.domain) for one in links_in("", extra=URLS))
HARMLESS = LINKS[:2]
VOUCHED = History(posts=9, confirmed_not_spam=8, confirmed_spam=1)


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


class TestDomain:
    @pytest.mark.parametrize(
        ("name", "known", "both"),
        [
            ("context.domain_days_known", 3 - 1 / 24, 0), ("context.domain_posts", 40, 0),
            ("context.domain_posts_24h", 9, 9), ("context.domain_authors", 6, 0),
            ("context.domain_spam_share", SHRUNK, SHRUNK), ("context.domain_complaints", 5, 5),
            ("context.url_posts", 4, 4),
        ],
    )  # fmt: skip
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


class TestFeatures:
    @pytest.mark.parametrize(
        ("name", "harmless", "worst"),
        [
            ("link_count", 2, 6), ("distinct_domains", 2, 6), ("url_length", 31, 35),
            ("url_subdomains", 1, 1), ("url_digit_share", 1 / 23, 6 / 10), ("url_path_tokens", 3, 3),
            ("url_bait_tokens", 0, 1), ("url_is_punycode", 0, 1), ("url_is_mixed_script", 0, 1),
            ("url_is_lookalike", 0, 1), ("url_is_ip_host", 0, 1), ("url_is_shortener", 0, 1),
            ("url_has_cheap_suffix", 0, 1), ("url_has_userinfo", 0, 1),
        ],
    )  # fmt: skip
    def test_the_most_suspicious_link_counts(self, name: str, harmless: float, worst: float) -> None:
        assert value_of(f"context.{name}", record(links=HARMLESS)) == pytest.approx(harmless)
        assert value_of(f"context.{name}", record(links=LINKS)) == pytest.approx(worst)

    @pytest.mark.parametrize(
        ("url", "past", "bait"),
        [
            ("https://www.amazon.de/deals/", History(), 0),
            ("https://marinos-pizza.example/deals/", VOUCHED, 0),
            ("https://marinos-pizza.example/deals/", replace(VOUCHED, confirmed_spam=2), 1),
            ("https://docs.google.com/deals/", VOUCHED, 1),
            ("https://www.google.com/url?q=http://a.example/deals/", History(), 1),
        ],
    )
    def test_links_that_somebody_vouches_for_are_not_looked_at(
        self, url: str, past: History, bait: float
    ) -> None:
        [parts] = links_in("", extra=[url])
        post = record(links=(Link(url=parts.url, host=parts.host, domain=parts.domain, domain_history=past),))

        assert value_of("context.url_bait_tokens", post) == bait

    def test_every_feature_is_zero_without_links(self) -> None:
        names = [feature.name for feature in link_looks.FEATURES]

        assert {value_of(name, record(links=())) for name in names} == {0.0}
