"""How many links a post has and how they look, by table; the measures of one URL are in `test_url_shape`."""

from __future__ import annotations

import pytest

from scoring.features import link_looks
from scoring.links import links_in
from scoring.records import Link
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

    def test_every_feature_is_zero_without_links(self) -> None:
        names = [feature.name for feature in link_looks.FEATURES]

        assert {value_of(name, record(links=())) for name in names} == {0.0}
