"""What the characters of a URL say."""

from __future__ import annotations

import pytest

from scoring.links import links_in
from scoring.url_shape import UrlShape, shape_of


def shape(url: str) -> UrlShape:
    (link,) = links_in("", extra=[url])
    return shape_of(link.url, link.host, link.domain)


class TestShapeOf:
    @pytest.mark.parametrize(
        ("url", "measure", "value"),
        [
            ("http://a.example/", "length", 17),
            ("http://a.example/", "subdomains", 0),
            ("http://x.y.a.co.uk/", "subdomains", 2),
            ("http://10.1.2.3/", "subdomains", 0),
            ("http://a.example/1234", "digit_share", 4 / 14),
            ("http://a.example/", "digit_share", 0),
            ("http://a.example/one/two-3?q=4", "path_tokens", 5),
            ("http://a.example/login/now?verify=1", "bait_tokens", 2),
            ("http://free-bonus.example/", "bait_tokens", 2),
            ("http://a.example/page", "bait_tokens", 0),
            ("http://xn--80ak6aa92e.com/", "is_punycode", 1),
            ("http://apple.com/", "is_punycode", 0),
            ("http://xn--pypal-4ve.com/", "is_mixed_script", 1),
            ("http://xn--mller-kva.de/", "is_mixed_script", 0),
            ("http://paypal.com/", "is_mixed_script", 0),
            ("http://10.1.2.3/", "is_ip_host", 1),
            ("http://0x7f.1/", "is_ip_host", 1),
            ("http://[::1]/", "is_ip_host", 1),
            ("http://localhost/", "is_ip_host", 0),
            ("http://a.example/", "is_ip_host", 0),
            ("https://bit.ly/x", "is_shortener", 1),
            ("https://orbit.ly/x", "is_shortener", 0),
            ("https://win.top/", "has_cheap_suffix", 1),
            ("https://top.com/", "has_cheap_suffix", 0),
            ("https://bank.com@evil.example/", "has_userinfo", 1),
            ("https://evil.example/@bank.com", "has_userinfo", 0),
        ],
    )
    def test_measures(self, url: str, measure: str, value: float) -> None:
        assert getattr(shape(url), measure) == pytest.approx(value)

    @pytest.mark.parametrize(
        "url",
        [
            "http://paypa1.com/",
            "http://paypal.com.login.example/",
            "http://paypal-security.example/",
            "http://micr0soft-support.example/",
            "http://rnicrosoft.com/",
            "http://apple.login-id.top/",
            "http://xn--80ak6aa92e.com/",
            "http://xn--pypal-4ve.com/",
            "http://wikipedla.org/",
            "http://www.bbc.co.uk.news.example/",
            "http://bbc.co.uk@news.example/",
        ],
    )
    def test_a_borrowed_brand_is_a_lookalike(self, url: str) -> None:
        assert shape(url).is_lookalike == 1

    @pytest.mark.parametrize(
        "url",
        [
            "https://www.paypal.com/signin",
            "https://google.co.uk/",
            "https://login.microsoftonline.com/",
            "https://pineapple.com/",
            "https://steamy.example/",
            "https://a.example/paypal",
            "http://10.1.2.3/",
            "http://www.terra.com.br/",
            "http://en.wikipedia.org/",
        ],
    )
    def test_the_brand_itself_and_other_words_are_not(self, url: str) -> None:
        assert shape(url).is_lookalike == 0
