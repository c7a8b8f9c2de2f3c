"""How many links a post has and how they look, by table; the measures of one URL are in `test_url_shape`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.features import link_looks
from scoring.links import links_in
from scoring.records import History, Link
from tests.scoring.features.values import value_of
from tests.scoring.random_records import record

URLS = (
    "https://new.example/",
    "https://www.known.example/a?b=1",
    "http://user@xn--pypal-4ve.com/login",
    "http://10.1.2.3/9",
    "https://bit.ly/x",
    "https://shoes.top/",
)
LINKS = tuple(Link(url=one.url, host=one.host, domain=one.domain) for one in links_in("", extra=URLS))
HARMLESS = LINKS[:2]
VOUCHED = History(posts=9, confirmed_not_spam=8, confirmed_spam=1)


class TestFeatures:
    @pytest.mark.parametrize(
        ("name", "harmless", "worst"),
        [
            ("link_count", 2, 6),
            ("distinct_domains", 2, 6),
            ("url_length", 31, 35),
            ("url_subdomains", 1, 1),
            ("url_digit_share", 1 / 23, 6 / 10),
            ("url_path_tokens", 3, 3),
            ("url_bait_tokens", 0, 1),
            ("url_is_punycode", 0, 1),
            ("url_is_mixed_script", 0, 1),
            ("url_is_lookalike", 0, 1),
            ("url_is_ip_host", 0, 1),
            ("url_is_shortener", 0, 1),
            ("url_has_cheap_suffix", 0, 1),
            ("url_has_userinfo", 0, 1),
        ],
    )
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
